"""Reads what parallel.py wrote: one `<source>.jsonl.zst` per source, a record `{language: text}` a line."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path


def read(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """(source, record) of every source, in the order of their names."""
    for path in sorted(folder.glob("*.jsonl.zst")):
        with subprocess.Popen(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout
            for line in process.stdout:
                yield path.name.removesuffix(".jsonl.zst"), json.loads(line)
        if process.returncode != 0:
            raise SystemExit(f"zstd could not read {path}")
