"""What callers without an event loop do in their own way."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterator, TypeVar

from .._upload import CHUNK_BYTES, Form, Source

T = TypeVar("T")


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def blocks_of(form: Form) -> Iterator[bytes]:
    return form.blocks()


def chunks_of(source: Source) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    elif hasattr(source, "read"):
        while chunk := source.read(CHUNK_BYTES):
            yield chunk
    elif hasattr(source, "__aiter__"):
        raise TypeError("Carrel reads no asynchronous sources: use AsyncCarrel")
    else:
        yield from source


def in_parallel(items: Iterator[T], work: Callable[[T], Any], limit: int) -> None:
    """Each item once, in so many threads. The first failure ends the others after what they are at."""
    lock = threading.Lock()
    failed = threading.Event()
    end = object()

    def worker() -> None:
        while not failed.is_set():
            with lock:
                item = next(items, end)
            if item is end:
                return
            try:
                work(item)  # type: ignore[arg-type]
            except BaseException:
                failed.set()
                raise

    with ThreadPoolExecutor(limit) as pool:
        try:
            for future in [pool.submit(worker) for _ in range(limit)]:
                future.result()
        finally:
            failed.set()
