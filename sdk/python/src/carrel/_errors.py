"""What the API says is wrong, and what never reached it."""

from __future__ import annotations

import builtins
from typing import Any, Dict, List, Optional


class CarrelError(Exception):
    """The base of what this package raises by itself."""


class ApiError(CarrelError):
    """The API answered with an error. Each code has a class of its own, such as `NotFoundError`.

    `status` is that of HTTP, 0 for an error that a stream told of; `retry_after` is in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        details: Optional[List[Dict[str, Any]]] = None,
        hint: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.details = details
        self.hint = hint
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, {self.request_id})"


class ConnectionError(CarrelError, builtins.ConnectionError):
    """No answer came, or not all of it, for as long as was tried."""


class AnswerError(CarrelError):
    """What answered is not the API, such as a proxy with a page of its own. Not tried again: it may have been carried out."""


class TimeoutError(CarrelError, builtins.TimeoutError):
    """The answer did not begin, or did not go on, within `timeout`."""


class SignatureError(CarrelError):
    """A signature, or the time in it, does not hold."""


class IndexingError(CarrelError):
    """A file cannot be read; `file` is its record and says why."""

    def __init__(self, file: Any) -> None:
        error = file.get("error") or {}
        super().__init__(f"{file['name']}: {error.get('message', 'it could not be indexed')}")
        self.file = file
