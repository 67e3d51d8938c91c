"""Forms of files that are read while they are sent: memory stays flat whatever their size."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from typing import IO, Any, AsyncIterable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

# What is uploaded: a path, bytes, an open file, or pieces of bytes. The last two are read once.
Source = Union[str, "os.PathLike[str]", bytes, IO[bytes], Iterable[bytes], AsyncIterable[bytes]]

CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True)
class UploadFile:
    source: Source
    name: Optional[str] = None
    """That of the path, or of the open file, where absent."""


@dataclass(frozen=True)
class Part:
    head: bytes
    source: Source
    bytes: Optional[int]
    once: bool


class Form:
    """A multipart body; `size` is None where a part's is not known, `once` where it cannot be read again."""

    def __init__(self, files: Sequence[UploadFile], fields: Sequence[Tuple[str, str]]) -> None:
        self._boundary = f"carrel-{uuid.uuid4().hex}"
        texts = (
            f'--{self._boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields
        )
        self.opening = "".join(texts).encode()
        self.parts = [self._part(file) for file in files]
        self.closing = f"--{self._boundary}--\r\n".encode()
        self.type = f"multipart/form-data; boundary={self._boundary}"
        self.once = any(part.once for part in self.parts)

    @property
    def size(self) -> Optional[int]:
        total = len(self.opening) + len(self.closing)
        for part in self.parts:
            if part.bytes is None:
                return None
            total += len(part.head) + part.bytes + 2
        return total

    def blocks(self) -> Iterator[bytes]:
        """The body of a form that can be read again, in blocks of a size that is worth sending: a small file has none of its own."""
        kept: List[bytes] = []
        size = 0
        for piece in self._pieces():
            if size + len(piece) > CHUNK_BYTES and kept:
                yield b"".join(kept)
                kept, size = [], 0
            kept.append(piece)
            size += len(piece)
        yield b"".join(kept)

    def _pieces(self) -> Iterator[bytes]:
        yield self.opening
        for part in self.parts:
            yield part.head
            if isinstance(part.source, bytes):
                yield part.source
            elif isinstance(part.source, (str, os.PathLike)):
                with open(part.source, "rb", buffering=0) as file:
                    while chunk := file.read(CHUNK_BYTES):
                        yield chunk
            yield b"\r\n"
        yield self.closing

    def _part(self, file: UploadFile) -> Part:
        source = file.source
        is_path = isinstance(source, (str, os.PathLike))
        given = source if is_path else getattr(source, "name", None)
        name = file.name or (os.path.basename(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else None)
        if not name:
            raise TypeError("name is missing: only paths and open files have one")
        head = (
            f"--{self._boundary}\r\n"
            f'content-disposition: form-data; name="files"; filename="{_quoted(name)}"\r\n'
            "content-type: application/octet-stream\r\n\r\n"
        ).encode("utf-8", "replace")
        if isinstance(source, (str, os.PathLike)):
            return Part(head, source, os.stat(source).st_size, False)
        if isinstance(source, bytes):
            return Part(head, source, len(source), False)
        return Part(head, source, None, True)


def _quoted(name: str) -> str:
    """As browsers write names into a form."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


# Fields that a form has once for each value.
SEVERAL = ("tags", "source_key", "source_fingerprint")


def fields_of(**given: Any) -> List[Tuple[str, str]]:
    fields: List[Tuple[str, str]] = []
    for name, value in given.items():
        if name in SEVERAL:
            fields += [(name, each) for each in ([value] if isinstance(value, str) else value or [])]
        elif name == "acl":
            # None is everyone, and not the same as an acl that is not given.
            fields += [] if value is ... else [("acl", json.dumps(value))]
        elif value is not None:
            fields.append((name, json.dumps(value) if isinstance(value, dict) else str(value)))
    return fields
