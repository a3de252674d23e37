"""Between messages and plain values, a module for each family of calls: ``from_message`` and ``to_message``."""
