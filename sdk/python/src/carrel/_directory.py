"""A folder that is brought in, with a manifest of what is there."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, Optional

MANIFEST = ".carrel-manifest.jsonl"
MOST_FILES = 50
MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    path: str
    """With `/`, from the folder on."""
    size: int
    mtime: int
    """Nanoseconds."""
    source: str


@dataclass
class DirectoryResult:
    uploaded: Dict[str, str] = field(default_factory=dict)
    """Brought now: ids by path."""
    unchanged: int = 0
    """There already, as they are."""
    rejected: List[Dict[str, str]] = field(default_factory=list)
    """`{path, code, message}`"""


class Manifest:
    """A line of JSON for each file that is there, the last one of a path counts. Lines are appended as files are accepted, so that
    after a kill only what it cut is brought again."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._lock = threading.Lock()
        self._lines: Dict[str, Dict[str, object]] = {}
        self._add_newline = False
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if os.path.exists(self.path):
            self._read()

    def _read(self) -> None:
        with open(self.path, encoding="utf-8", errors="replace") as file:
            for text in file:
                # A line that a kill cut is left out.
                self._add_newline = not text.endswith("\n")
                try:
                    line = json.loads(text)
                    self._lines[line["path"]] = line
                except (ValueError, KeyError, TypeError):
                    continue

    def has(self, entry: Entry) -> bool:
        line = self._lines.get(entry.path)
        return line is not None and (line.get("size"), line.get("mtime")) == (entry.size, entry.mtime)

    def file_of(self, path: str) -> Optional[str]:
        line = self._lines.get(path)
        return str(line["file_id"]) if line and "file_id" in line else None

    def add(self, entries: Dict[str, Entry], ids: Dict[str, str]) -> List[str]:
        """Notes what is there. Returns ids that stood for one of these paths and now stand for none."""
        with self._lock:
            before = {self.file_of(path) for path in ids}
            lines = [
                {"path": path, "size": entries[path].size, "mtime": entries[path].mtime, "file_id": file_id}
                for path, file_id in ids.items()
            ]
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(("\n" if self._add_newline else "") + "".join(json.dumps(line) + "\n" for line in lines))
            self._add_newline = False
            self._lines.update({str(line["path"]): line for line in lines})
            left = {id_ for id_ in before if id_} - set(ids.values())
            return sorted(left - {str(line.get("file_id")) for line in self._lines.values()}) if left else []

    def compact(self) -> None:
        """One line a path."""
        with open(f"{self.path}.new", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self._lines.values())
        os.replace(f"{self.path}.new", self.path)


def batches_of(
    folder: str, manifest: Manifest, include: Callable[[str], bool], result: DirectoryResult
) -> Iterator[List[Entry]]:
    """What is to be brought, small files together. No two of a batch have one name: the answer tells files by their names."""
    batch: List[Entry] = []
    names: set[str] = set()
    total = 0
    for source in _walk(folder):
        path = os.path.relpath(source, folder).replace(os.sep, "/")
        if os.path.abspath(source) in (manifest.path, f"{manifest.path}.new") or not include(path):
            continue
        about = os.stat(source)
        entry = Entry(path, about.st_size, about.st_mtime_ns, source)
        if manifest.has(entry):
            result.unchanged += 1
            continue
        name = os.path.basename(path)
        if batch and (len(batch) == MOST_FILES or total + entry.size > MOST_BYTES or name in names):
            yield batch
            batch, names, total = [], set(), 0
        batch.append(entry)
        names.add(name)
        total += entry.size
    if batch:
        yield batch


def _walk(folder: str) -> Iterator[str]:
    """Plain files below it, by name; links are not followed."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path
