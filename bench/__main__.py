"""All questions, one after another, each in a process of its own: JSON to .bench/, and a table here.

python -m bench [--large] [QUESTION…]
"""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from bench.load import loaded
from bench.measure import RESULTS, machine
from passageway.cli import output

QUESTIONS = (
    "load",
    "opening",
    "rpc",
    "expand",
    "pagerank",
    "paths",
    "context",
    "facets",
    "vectors",
    "halting",
    "analyze",
    "workers",
    "search",
    "quality",
)
LARGE = ("bulk", "commits", "merging", "recovery")
"""Those about 1,000,000 nodes and 10,000,000 edges: asked by name, or all with --large."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table: where the figure stands in the JSON of its question, and the most it should be."""

    question: str
    what: str
    path: tuple[str, ...]
    unit: str
    target: float | None = None

    def value(self, results: dict[str, Any]) -> float:
        """The figure in the results of its question."""
        for part in self.path:
            results = results[part]
        return float(results)  # type: ignore[arg-type]


_MS = "milliseconds"
_CAPPED = (_MS, "3 hops, capped")
_RANKED = (_MS, "undirected, 0.5")
_REACHED = ("milliseconds to the other reader",)
_BESIDE = ("milliseconds beside",)
_MOST, _FEW = (_MS, "60 %"), (_MS, "1 %")
_FACETS, _JOINED = (_MS, "facets"), (_MS, "semi-join")
FIGURES = (
    Figure("load", "Debian from .zst into a snapshot", ("seconds",), "s", 40),
    Figure("load", "at its peak", ("peak megabytes",), "MB", 1500),
    Figure("opening", "to the first answer, after imports", (_MS, "after imports"), "ms", 300),
    Figure("opening", "to the first answer, from exec", (_MS, "from exec"), "ms", 2000),
    Figure("rpc", "Expand, over an echo of the same size", ("rpc", "ratio"), "times", 1.6),
    Figure("expand", "3 hops from 8 seeds, capped", (*_CAPPED, "walk"), "ms", 1.2),
    Figure("expand", "the same as a bare loop", (*_CAPPED, "bare loop"), "ms"),
    Figure("expand", "the same on ten copies", (*_CAPPED, "as a multiple"), "times", 1.3),
    Figure("expand", "2 hops, no caps", (_MS, "2 hops", "walk"), "ms", 1.2),
    Figure("expand", "3 hops, no caps", (_MS, "3 hops", "walk"), "ms", 18),
    Figure("pagerank", "ranks of 500 nodes", ("small", *_RANKED), "ms", 0.6),
    Figure("pagerank", "the same, directed, by scipy", ("small", _MS, "scipy"), "ms"),
    Figure("pagerank", "ranks of 16,000 nodes", ("large", *_RANKED), "ms", 20),
    Figure("pagerank", "the same, directed, by scipy", ("large", _MS, "scipy"), "ms"),
    Figure("paths", "3 best, OUT, median", (_MS, "OUT", "median"), "ms", 1),
    Figure("paths", "3 best, OUT, worst", (_MS, "OUT", "worst"), "ms", 25),
    Figure("paths", "3 best, BOTH, median", (_MS, "BOTH", "median"), "ms", 8),
    Figure("paths", "networkx, OUT", (_MS, "OUT, networkx shortest_simple_paths", "median"), "ms"),
    Figure("context", "2,000 tokens, one hop", (_MS, "2,000 tokens, one hop"), "ms", 5),
    Figure("context", "of that the search", (_MS, "the search alone"), "ms"),
    Figure("facets", "type, keyword, list, int: 20,000 rows", (*_FACETS, "with a list"), "ms", 1),
    Figure("facets", "the same with links", (*_FACETS, "with links"), "ms", 1),
    Figure("facets", "100,000 rows joined with ids", (*_JOINED, "ids", "worked out"), "ms", 15),
    Figure("facets", "with ints", (*_JOINED, "ints", "worked out"), "ms", 15),
    Figure("facets", "with keywords", (*_JOINED, "keywords", "worked out"), "ms", 15),
    Figure("facets", "the same again", (*_JOINED, "keywords", "repeated"), "ms", 1),
    Figure("vectors", "100,000 of 384 numbers, 60 % readable", (*_MOST, "query"), "ms", 6),
    Figure("vectors", "1 % readable", (*_FEW, "query"), "ms", 0.5),
    Figure("vectors", "60 %, fused with two words", (*_MOST, "with words"), "ms"),
    Figure("halting", "from a cancel to a free thread, worst", (_MS, "worst of all"), "ms", 50),
    Figure("analyze", "Expand, p99, alone", (_MS, "alone", "p99"), "ms"),
    Figure("analyze", "the same beside PageRank", (_MS, "beside PageRank", "p99"), "ms"),
    Figure("analyze", "the same beside Leiden", (_MS, "beside Leiden", "p99"), "ms"),
    Figure("analyze", "the worse of both as a multiple", ("as a multiple",), "times", 2),
    Figure("workers", "CPU a call, two workers over one", ("as a multiple",), "times", 1.15),
    Figure("workers", "from a commit to the other reader", (*_REACHED, "median"), "ms", 100),
    Figure("workers", "the worst of a hundred", (*_REACHED, "worst"), "ms"),
    Figure("search", "two to four words, a caller in 17 groups", (_MS, "engine"), "ms"),
    Figure("search", "the same by tantivy, filtered by readers", (_MS, "tantivy, filtered"), "ms"),
    Figure("search", "the one over the other", ("as a multiple",), "times", 0.8),
    Figure("search", "texts indexed a second", ("index", "texts a second"), ""),
    Figure("quality", "nDCG@10 of 60 questions", ("nDCG@10", "passageway"), ""),
    Figure("quality", "the same of bm25s", ("nDCG@10", "bm25s"), ""),
    Figure("quality", "the same of tantivy", ("nDCG@10", "tantivy"), ""),
    Figure("bulk", "load of Parquet files", ("Parquet", "seconds"), "s", 60),
    Figure(
        "bulk", "at its peak, over the final size", ("Parquet", "peak as a multiple"), "times", 2.5
    ),
    Figure("bulk", "load of JSONL", ("JSONL", "seconds"), "s", 60),
    Figure(
        "bulk", "at its peak, over the final size", ("JSONL", "peak as a multiple"), "times", 2.5
    ),
    Figure("bulk", "memory of an edge, all included", ("bytes an edge", "in all"), "bytes", 80),
    Figure("bulk", "the same without ids", ("bytes an edge", "without ids"), "bytes", 52),
    Figure("commits", "100 rows, above a bare sync", (_MS, "above it"), "ms", 15),
    Figure(
        "commits", "Expand, p99, beside 50 commits a second", ("p99 as a multiple",), "times", 1.5
    ),
    Figure("merging", "worst walk beside a merge", (*_BESIDE, "merge", "walk, worst"), "ms", 20),
    Figure(
        "merging", "worst walk beside a snapshot", (*_BESIDE, "snapshot", "walk, worst"), "ms", 20
    ),
    Figure(
        "merging",
        "longest hold of Python's lock by a merge",
        (*_BESIDE, "merge", "held, worst"),
        "ms",
        20,
    ),
    Figure(
        "merging", "longest hold by a snapshot", (*_BESIDE, "snapshot", "held, worst"), "ms", 20
    ),
    Figure("merging", "worst walk beside neither", (*_BESIDE, "nothing", "walk, worst"), "ms"),
    Figure("merging", "worst commit beside a merge", (*_BESIDE, "merge", "commit, worst"), "ms"),
    Figure(
        "recovery", "to the first answer after a clean stop", (_MS, "after a clean stop"), "ms", 300
    ),
    Figure("recovery", "1,000,000 rows of log after a kill", ("seconds", "after a kill"), "s", 30),
)


def main() -> int:
    """Ask the questions; 1 where one of them could not be answered."""
    every = (*QUESTIONS, *LARGE)
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(every))
    parser.add_argument("--large", action="store_true", help=f"ask {', '.join(LARGE)}")
    options = parser.parse_args()
    asked = options.questions or (LARGE if options.large else QUESTIONS)
    if unknown := set(asked) - set(every):
        parser.error(f"unknown {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    failed = [question for question in asked if not _answered(question)]
    output.say(", ".join(f"{name} {value}" for name, value in machine().items()))
    output.table(
        ("question", "figure", "found", "unit", "target"),
        [
            (one.question, one.what, f"{one.value(results):g}", one.unit, _most(one.target))
            for question in asked
            if question not in failed
            for results in [json.loads((RESULTS / f"{question}.json").read_text(encoding="utf-8"))]
            for one in FIGURES
            if one.question == question
        ],
    )
    return 1 if failed else 0


def _answered(question: str) -> bool:
    output.note(f"bench.{question} …")
    folder = [str(loaded())] if question == "rpc" else []
    command = [sys.executable, "-m", f"bench.{question}", *folder]
    command += ["--out", str(RESULTS / f"{question}.json")]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def _most(target: float | None) -> str:
    return "" if target is None else f"{target:g}"


if __name__ == "__main__":
    sys.exit(main())
