"""Who is calling, and what that caller may see: callers, tokens, gates."""
