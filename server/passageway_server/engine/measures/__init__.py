"""Graph-wide measures: what goes to the process that works one out, the process, and the way to it."""
