"""Walks, paths and filters over rows, with the caller's gate inside."""
