"""Rows packed as cited text under a budget."""
