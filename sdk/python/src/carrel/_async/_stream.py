"""A stream of typed events that goes on by itself after a cut, where it stopped, without telling any event twice."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Optional, cast

import httpx

from .. import types
from .._errors import ApiError, CarrelError, ConnectionError
from .._policy import CallOptions, Route, api_error, parsed, pause_of
from .._sse import EventParser
from ._calls import ROUTES
from ._platform import sleep
from ._transport import AsyncTransport, failure_of

Open = Callable[[Optional[int]], Awaitable[httpx.Response]]


async def resumed(open_: Open, retry_time: float) -> AsyncIterator[Dict[str, Any]]:
    """Events `{id, event, data}`, until `done`. `open_` opens the stream behind that event; from its beginning without one.
    `retry_time` is how long a cut stream is tried again without an event of its coming."""
    last: Optional[int] = None
    failed_at: Optional[float] = None
    tries = 0
    is_done = False
    while True:
        before = last
        failure: CarrelError = ConnectionError("the stream was cut")
        response: Optional[httpx.Response] = None
        try:
            response = await open_(last)
            parser = EventParser()
            async for chunk in response.aiter_bytes():
                for told in parser.feed(chunk):
                    number = int(told.id)
                    if last is not None and number <= last:
                        continue
                    last, failed_at, tries = number, None, 0
                    yield {"id": number, "event": told.event, "data": parsed(told.data)}
                    # The server ends the answer behind it: read to there, its connection serves the next request.
                    is_done = told.event == "done"
        except httpx.HTTPError as error:
            failure = cast(CarrelError, failure_of(error))
        except CarrelError as error:
            if pause_of(error, 0, True) is None:
                raise
            failure = error
        finally:
            if response is not None:
                await response.aclose()
        if is_done:
            return
        # A cut behind something new is gone on from at once.
        goes_on = failed_at is None and last != before
        pause = 0.0 if goes_on else pause_of(failure, tries, True) or 0.0
        tries += 1
        if failed_at is None:
            failed_at = time.monotonic()
        if time.monotonic() + pause > failed_at + retry_time:
            raise failure
        await sleep(pause)


class AsyncReply:
    """A reply that is being written. Read it once: its events, `text()`, or `final_message()` alone.

    The server writes it to its end whether somebody reads or not; `conversations.cancel` stops it.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        first: Optional[Route],
        conversation_id: Optional[str],
        path: Dict[str, str],
        body: Any,
        options: Optional[CallOptions],
    ) -> None:
        self.conversation_id = conversation_id
        self.message_id: Optional[str] = None
        self._transport = transport
        self._first = first
        self._path = path
        self._body = body
        given = options or CallOptions()
        self._options = replace(given, idempotency_key=given.idempotency_key or str(uuid.uuid4()))
        self._final: Optional[Dict[str, Any]] = None
        self._error: Optional[ApiError] = None
        retry_time = given.retry_time
        self._events = resumed(self._open, transport.settings.retry_time if retry_time is None else retry_time)

    async def _open(self, after: Optional[int]) -> httpx.Response:
        # Before its first event came, the request itself is repeated under its key: it is carried out once.
        if self._first is not None and (after is None or self.conversation_id is None):
            return await self._transport.open(self._first, path=self._path, body=self._body, options=self._options)
        return await self._transport.open(
            ROUTES["followConversation"],
            path={"conversation_id": self.conversation_id},
            options=replace(self._options, idempotency_key=None),
            last_event_id=after,
        )

    def _see(self, event: Dict[str, Any]) -> None:
        name, data = event["event"], event["data"]
        if name in ("conversation_created", "message_started"):
            self.conversation_id = data["conversation_id"]
        if name == "message_started":
            self.message_id = data["message_id"]
        elif name == "message_completed":
            self._final = data
        elif name == "error":
            self._error = api_error(data["error"])

    async def __aiter__(self) -> AsyncIterator[types.ConversationEvent]:
        """Its events. An `error` event is told like the others; `text` and `final_message` raise it."""
        async for event in self._events:
            self._see(event)
            yield cast("types.ConversationEvent", event)

    async def text(self) -> AsyncIterator[str]:
        """The text alone, piece by piece. Raises ApiError where the reply failed."""
        async for event in self:
            if event["event"] == "message_delta":
                yield event["data"]["text"]
        if self._error:
            raise self._error

    async def final_message(self) -> Dict[str, Any]:
        """Reads to the end: `message_completed`'s data, with `conversation_id`. Raises ApiError where the reply failed."""
        async for _ in self:
            pass
        if self._error:
            raise self._error
        if self._final is None:
            raise ConnectionError("the stream ended without the reply")
        return {**self._final, "conversation_id": self.conversation_id}
