"""Server-sent events out of bytes, however they are cut."""

from __future__ import annotations

from typing import List, NamedTuple, Optional


class ServerSentEvent(NamedTuple):
    id: str
    event: str
    data: str


class EventParser:
    """Feed it bytes; it gives the events that have ended. What was begun and never ended is no event."""

    def __init__(self) -> None:
        self._rest = b""
        self._id = ""
        self._event = ""
        self._data: List[str] = []

    def feed(self, chunk: bytes) -> List[ServerSentEvent]:
        whole = self._rest + chunk
        # A CR at the end may be the half of a CRLF.
        held = b"\r" if whole.endswith(b"\r") else b""
        text = whole[: len(whole) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = text.split(b"\n")
        self._rest = rest + held
        found = (self._line(line.decode("utf-8", "replace")) for line in lines)
        return [event for event in found if event]

    def _line(self, line: str) -> Optional[ServerSentEvent]:
        if line == "":
            event = ServerSentEvent(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
            self._event, self._data = "", []
            return event
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            self._id = value
        elif name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return None
