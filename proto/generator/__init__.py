"""What proto/generate.py writes: protoc's modules, and the client library's values and calls."""
