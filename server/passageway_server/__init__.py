"""The passageway server: a graph index in memory, versioned, with the gate inside the walk."""
