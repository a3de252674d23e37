"""Loops over arrays, compiled by numba: the only place that knows it.

Every kernel has an explicit signature and is cached beside its source, so a server compiles
nothing. Kernels release the interpreter's lock and change nothing but the scratch arrays that they
are given. A module's cache follows that module's own source alone: `python -m
passageway_server.engine.kernels` drops the caches when any source is newer.
"""
