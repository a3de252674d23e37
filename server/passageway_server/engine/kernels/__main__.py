"""Compiles all kernels into the cache: ``python -m passageway_server.engine.kernels``."""

import importlib
import pkgutil
import time
from pathlib import Path

from passageway_server.engine import kernels


def main() -> None:
    """Compile what is not cached, and say so."""
    folder = Path(__file__).parent
    if _is_fresh(folder):
        _import_all()
        print("kernels are ready")
        return
    print("compiling kernels, once, which takes about a minute", flush=True)
    begun = time.perf_counter()
    _import_all()
    print(f"kernels are compiled, in {time.perf_counter() - begun:.1f} s")


def _is_fresh(folder: Path) -> bool:
    """Whether there are caches, all newer than every source; else none are left.

    A cache knows the source that it was compiled from, and not those that the source takes
    functions from.
    """
    caches = [*folder.glob("__pycache__/*.nbi"), *folder.glob("__pycache__/*.nbc")]
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    if caches and min(cache.stat().st_mtime for cache in caches) > newest:
        return True
    for cache in caches:
        cache.unlink(missing_ok=True)
    return False


def _import_all() -> None:
    for module in pkgutil.iter_modules(kernels.__path__, f"{kernels.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


if __name__ == "__main__":
    main()
