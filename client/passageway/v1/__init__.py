"""The contract's messages and stubs. Generated from proto/; never edited."""
