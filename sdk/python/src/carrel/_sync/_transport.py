"""Carries calls out over HTTP: credentials, time limits, retries, errors."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional

import httpx

from .._errors import ConnectionError, TimeoutError
from .._policy import Attempts, CallOptions, Route, Settings, address_of, error_of, headers_of, parsed
from .._upload import Form
from ._platform import blocks_of, chunks_of, sleep


class Download:
    """The bytes of an answer as they come; iterate it once, or `read` it whole."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._response.iter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise failure_of(error) from error
        finally:
            self._response.close()

    def read(self) -> bytes:
        return b"".join([chunk for chunk in self])

    def close(self) -> None:
        """For one that is not read to its end."""
        self._response.close()


class Transport:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._http = httpx.Client(
            verify=settings.tls,
            proxy=settings.proxy,
            timeout=settings.timeout,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        route: Route,
        *,
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        header: Optional[Mapping[str, Optional[str]]] = None,
        body: Any = None,
        form: Optional[Form] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """The answer, as its route says what it is. Raises ApiError, ConnectionError, TimeoutError."""
        given = options or CallOptions()
        attempts = Attempts(route, self.settings, given, form is not None and form.once)
        accept = "application/json" if route.answers == "json" else "*/*"
        request = {"path": path or {}, "query": query or {}, "header": header or {}, "body": body, "form": form}
        while True:
            try:
                response = self._send(route, given, attempts.key, accept, **request)
                if route.answers == "bytes":
                    return Download(response)
                content = whole(response)
                if route.answers == "text":
                    return content.decode("utf-8")
                return parsed(content) if content or (route.answers == "json" and response.status_code == 200) else None
            except Exception as error:
                pause = attempts.pause_after(error)
            sleep(pause)

    def open(
        self,
        route: Route,
        *,
        path: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        options: CallOptions,
        last_event_id: Optional[int] = None,
    ) -> httpx.Response:
        """The answer as a stream of events, once it has begun well. Close it."""
        header = {} if last_event_id is None else {"last-event-id": str(last_event_id)}
        attempts = Attempts(route, self.settings, options)
        request = {"path": path or {}, "query": {}, "header": header, "body": body, "form": None}
        while True:
            try:
                return self._send(route, options, attempts.key, "text/event-stream", **request)
            except Exception as error:
                pause = attempts.pause_after(error)
            sleep(pause)

    def _send(
        self,
        route: Route,
        options: CallOptions,
        key: Optional[str],
        accept: str,
        *,
        path: Mapping[str, Any],
        query: Mapping[str, Any],
        header: Mapping[str, Optional[str]],
        body: Any,
        form: Optional[Form],
    ) -> httpx.Response:
        headers = headers_of(self.settings, options, header, accept, key)
        content: Any = None
        if form is not None:
            content = written(form)
            headers["content-type"] = form.type
            if form.size is not None:
                headers["content-length"] = str(form.size)
        elif body is not None:
            content = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        timeout = self.settings.timeout if options.timeout is None else options.timeout
        address = address_of(self.settings, route, path, query)
        request = self._http.build_request(route.method, address, content=content, headers=headers, timeout=timeout)
        try:
            response = self._http.send(request, stream=True)
        except httpx.HTTPError as error:
            raise failure_of(error) from error
        if response.is_success:
            return response
        try:
            told = response.read()
        except httpx.HTTPError:
            told = b""
        finally:
            response.close()
        raise error_of(response.status_code, response.headers, told)

    def __repr__(self) -> str:
        return f"Transport(base_url={self.settings.base_url!r})"


def whole(response: httpx.Response) -> bytes:
    try:
        return response.read()
    except httpx.HTTPError as error:
        raise failure_of(error) from error
    finally:
        response.close()


def failure_of(error: httpx.HTTPError) -> Exception:
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError("no answer within the time limit")
    return ConnectionError("the server cannot be reached, or the connection was cut")


def written(form: Form) -> Iterator[bytes]:
    if not form.once:
        for block in blocks_of(form):
            yield block
        return
    # What comes of a slow source goes on at once.
    yield form.opening
    for part in form.parts:
        yield part.head
        for chunk in chunks_of(part.source):
            yield chunk
        yield b"\r\n"
    yield form.closing
