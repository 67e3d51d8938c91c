"""What both kinds of client share: addresses, credentials, errors of answers, and when something is tried again."""

from __future__ import annotations

import json
import os
import random
import re
import ssl
import time
import uuid
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import quote, urlencode

import httpx

from ._codes import ERROR_CLASSES
from ._errors import AnswerError, ApiError, ConnectionError, TimeoutError
from .types import VERSION

DEFAULT_URL = "http://127.0.0.1:4747"
DEFAULT_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True)
class CallOptions:
    """Of one call; what is None is as the client has it. Times are in seconds."""

    timeout: Optional[float] = None
    retry_time: Optional[float] = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    idempotency_key: Optional[str] = None


@dataclass(frozen=True)
class Route:
    id: str
    method: str
    path: str
    answers: str
    idempotent: bool = False
    harmless: bool = False
    """A POST that may be sent twice."""


@dataclass(frozen=True)
class Settings:
    """Of a client."""

    base_url: str
    token: str = field(repr=False)
    timeout: float
    retry_time: float
    proxy: Optional[httpx.Proxy] = field(repr=False)
    tls: Union[bool, ssl.SSLContext] = field(repr=False)
    """As httpx takes it; True: certificates of the machine."""


def settings_of(
    base_url: Optional[str],
    token: Optional[str],
    client_id: Optional[str],
    private_key: Optional[str],
    secret: Optional[str],
    timeout: float,
    retry_time: float,
    proxy: Optional[str],
    tls_roots: Union[None, str, ssl.SSLContext],
) -> Settings:
    if client_id and private_key and secret:
        token = f"{client_id}.{private_key}.{secret}"
    token = token or os.environ.get("CARREL_TOKEN")
    if not token:
        raise TypeError("give a token, or client_id, private_key and secret, or set CARREL_TOKEN")
    url = (base_url or os.environ.get("CARREL_URL") or DEFAULT_URL).rstrip("/")
    tls = ssl.create_default_context(cadata=tls_roots) if isinstance(tls_roots, str) else tls_roots or True
    return Settings(url, token, timeout, retry_time, proxy_of(proxy, tls), tls)


def proxy_of(address: Optional[str], tls: Union[bool, ssl.SSLContext]) -> Optional[httpx.Proxy]:
    if not address:
        return None
    scheme = address.partition("://")[0].lower()
    try:
        if scheme in ("http", "https"):
            context = tls if scheme == "https" and isinstance(tls, ssl.SSLContext) else None
            return httpx.Proxy(address, ssl_context=context)
    except (ValueError, httpx.InvalidURL):
        pass
    # What is wrong with it is not told: it may hold a password.
    raise TypeError("proxy is no http address")


class Attempts:
    """One call, tried again as long as that is safe and makes sense."""

    def __init__(self, route: Route, settings: Settings, options: CallOptions, once: bool = False) -> None:
        self._retry_time = settings.retry_time if options.retry_time is None else options.retry_time
        self._once = once
        self._tries = 0
        self._ends_at: Optional[float] = None
        self.key = options.idempotency_key or (str(uuid.uuid4()) if route.idempotent else None)
        self._is_safe = route.method != "POST" or self.key is not None or route.harmless

    def pause_after(self, error: Exception) -> float:
        """Seconds until the next try. Raises the error where there is none."""
        if self._ends_at is None:
            self._ends_at = time.monotonic() + self._retry_time
        pause = None if self._once else pause_of(error, self._tries, self._is_safe)
        if pause is None or time.monotonic() + pause > self._ends_at:
            raise error
        self._tries += 1
        return pause


def pause_of(error: Exception, tries: int, is_safe: bool) -> Optional[float]:
    """Seconds until the next try; None where another makes no sense."""
    own = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(tries, 10)) * random.uniform(0.5, 1)
    if isinstance(error, (ConnectionError, TimeoutError)):
        return own if is_safe else None
    if not isinstance(error, ApiError):
        return None
    # 429 and 503 are said before anything is done; 502 is said of what was tried.
    if error.status not in (429, 503) and not (error.status == 502 and is_safe):
        return None
    return own if error.retry_after is None else error.retry_after + random.uniform(0, 0.25)


def headers_of(
    settings: Settings,
    options: CallOptions,
    header: Mapping[str, Optional[str]],
    accept: str,
    key: Optional[str],
) -> Dict[str, str]:
    headers = {
        "accept": accept,
        "authorization": f"Bearer {settings.token}",
        "x-carrel-sdk": f"python/{VERSION}",
        **{name: value for name, value in header.items() if value is not None},
        **options.headers,
    }
    return {**headers, "idempotency-key": key} if key else headers


def address_of(settings: Settings, route: Route, path: Mapping[str, Any], query: Mapping[str, Any]) -> str:
    def filled(match: "re.Match[str]") -> str:
        value = path.get(match[1])
        if value is None or value == "":
            raise TypeError(f"{match[1]} is missing")
        return quote(str(value), safe="")

    address = settings.base_url + re.sub(r"\{(\w+)\}", filled, route.path)
    given = {name: _plain(value) for name, value in query.items() if value is not None}
    return f"{address}?{urlencode(given)}" if given else address


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return json.dumps(value) if isinstance(value, dict) else str(value)


def parsed(text: Union[str, bytes]) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise AnswerError("the answer is no JSON") from None


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error of an answer, in the class of its code."""
    try:
        told = json.loads(body)["error"]
        told = told if isinstance(told, dict) else {}
    except (ValueError, KeyError, TypeError):
        told = {}
    return api_error(
        {"code": f"http_{status}", "message": f"the server answered with status {status}", **told},
        status,
        headers.get("x-request-id"),
        _seconds(headers.get("retry-after")),
    )


def api_error(
    told: Mapping[str, Any],
    status: int = 0,
    request_id: Optional[str] = None,
    retry_after: Optional[float] = None,
) -> ApiError:
    code = str(told["code"])
    return ERROR_CLASSES.get(code, ApiError)(
        str(told["message"]),
        code=code,
        status=status,
        details=told.get("details"),
        hint=told.get("hint"),
        request_id=told.get("request_id") or request_id,
        retry_after=retry_after,
    )


def _seconds(header: Optional[str]) -> Optional[float]:
    """Of seconds, or of a date."""
    if header is None:
        return None
    if re.fullmatch(r"\d+", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
