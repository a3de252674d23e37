"""The log of a collection: its commits since some version, one frame each, in files that only grow."""
