"""Lists that come in pages, read as one."""

from __future__ import annotations

from typing import Any, AsyncIterator, Mapping, Optional

from .._policy import CallOptions, Route
from ._transport import AsyncTransport

PAGE_SIZE = 100


async def every(
    transport: AsyncTransport, route: Route, query: Mapping[str, Any], options: Optional[CallOptions] = None
) -> AsyncIterator[Any]:
    page = 1
    while True:
        asked = {**query, "page": page, "page_size": PAGE_SIZE}
        answer = await transport.call(route, query=asked, options=options)
        for each in answer["data"]:
            yield each
        if not answer["pagination"]["has_next"]:
            return
        page += 1
