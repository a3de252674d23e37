"""What proto/generate.py wrote of the client library; never edited."""
