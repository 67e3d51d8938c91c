"""Reads the training folder: one `<source>.jsonl.zst` per source, each line a JSON array `[query-like, passage]`."""

import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z0-9"(“])')
# Shorter pieces are headings, references or the crumbs of a wrong split.
MIN_SENTENCE_CHARS = 20


def sources(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix(".jsonl.zst") for path in folder.glob("*.jsonl.zst"))


def read(folder: Path, source: str) -> Iterator[tuple[str, str]]:
    """The pairs of one source, in file order. The `zstd` program unpacks: Python 3.11 has no reader of its own."""
    path = folder / f"{source}.jsonl.zst"
    with subprocess.Popen(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        for line in process.stdout:
            query, passage = json.loads(line)
            yield query, passage
    if process.returncode != 0:
        raise SystemExit(f"zstd could not read {path}")


def cloze(pairs: Iterator[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
    """One random sentence of each passage, and the passage without it (the inverse cloze task)."""
    chance = random.Random(seed)
    for _, passage in pairs:
        sentences = [part for part in SENTENCE_END.split(passage) if len(part) > MIN_SENTENCE_CHARS]
        if len(sentences) >= 3:
            at = chance.randrange(len(sentences))
            yield sentences[at], " ".join(sentences[:at] + sentences[at + 1:])
