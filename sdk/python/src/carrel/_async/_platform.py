"""What an event loop does in its own way."""

from __future__ import annotations

import asyncio
import os
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, TypeVar

from .._upload import CHUNK_BYTES, Form, Source

T = TypeVar("T")


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def blocks_of(form: Form) -> AsyncIterator[bytes]:
    """Files are read in threads, so that the loop goes on."""
    blocks = form.blocks()
    while block := await asyncio.to_thread(next, blocks, b""):
        yield block


async def chunks_of(source: Source) -> AsyncIterator[bytes]:
    """Files are read in threads, so that the loop goes on."""
    if isinstance(source, bytes):
        yield source
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                yield chunk
    elif hasattr(source, "read"):
        while chunk := await asyncio.to_thread(source.read, CHUNK_BYTES):
            yield chunk
    elif hasattr(source, "__aiter__"):
        async for chunk in source:
            yield chunk
    else:
        for chunk in source:
            yield chunk


async def in_parallel(items: Iterator[T], work: Callable[[T], Awaitable[Any]], limit: int) -> None:
    """Each item once, so many at the same time. The first failure ends the others."""

    async def worker() -> None:
        for item in items:
            await work(item)

    tasks = [asyncio.ensure_future(worker()) for _ in range(limit)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
