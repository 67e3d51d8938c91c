"""Lists that come in pages, read as one."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional

from .._policy import CallOptions, Route
from ._transport import Transport

PAGE_SIZE = 100


def every(
    transport: Transport, route: Route, query: Mapping[str, Any], options: Optional[CallOptions] = None
) -> Iterator[Any]:
    page = 1
    while True:
        asked = {**query, "page": page, "page_size": PAGE_SIZE}
        answer = transport.call(route, query=asked, options=options)
        for each in answer["data"]:
            yield each
        if not answer["pagination"]["has_next"]:
            return
        page += 1
