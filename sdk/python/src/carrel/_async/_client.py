"""The client."""

from __future__ import annotations

import ssl
from types import TracebackType
from typing import Any, Dict, Optional, Type, Union

from .. import types
from .._policy import DEFAULT_SECONDS, CallOptions, settings_of
from ._calls import AsyncCalls
from ._files import AsyncFiles
from ._resources import (
    AsyncAgents,
    AsyncBatches,
    AsyncConversations,
    AsyncEvents,
    AsyncKeys,
    AsyncModels,
    AsyncSources,
    AsyncTokens,
    AsyncWebhooks,
)
from ._transport import AsyncTransport


class AsyncCarrel:
    """A client of one server with one key.

    `base_url` is CARREL_URL where absent, `token` CARREL_TOKEN; in place of a token the three parts of a key may be given.
    `timeout` is in seconds, until an answer begins and between its pieces; `retry_time` how long a call is tried again in all, 0 for
    never. Everything goes through `proxy`, such as http://name:password@proxy.corp:3128; those of the environment count without it
    (HTTPS_PROXY, NO_PROXY). `tls_roots` are certificates (PEM) that are trusted in place of the machine's own, or an SSLContext.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        client_id: Optional[str] = None,
        private_key: Optional[str] = None,
        secret: Optional[str] = None,
        timeout: float = DEFAULT_SECONDS,
        retry_time: float = DEFAULT_SECONDS,
        proxy: Optional[str] = None,
        tls_roots: Union[None, str, ssl.SSLContext] = None,
    ) -> None:
        settings = settings_of(
            base_url, token, client_id, private_key, secret, timeout, retry_time, proxy, tls_roots
        )
        self._transport = AsyncTransport(settings)
        self.api = AsyncCalls(self._transport)
        """Every call of the API."""
        self.models = AsyncModels(self._transport, self.api)
        self.files = AsyncFiles(self._transport, self.api)
        self.conversations = AsyncConversations(self._transport, self.api)
        self.agents = AsyncAgents(self._transport, self.api)
        self.sources = AsyncSources(self._transport, self.api)
        self.events = AsyncEvents(self._transport, self.api)
        self.webhooks = AsyncWebhooks(self._transport, self.api)
        self.batches = AsyncBatches(self._transport, self.api)
        self.keys = AsyncKeys(self._transport, self.api)
        self.tokens = AsyncTokens(self._transport, self.api)

    async def search(
        self, query: Union[str, types.SearchBody], *, options: Optional[CallOptions] = None, **more: Any
    ) -> types.SearchAnswer:
        """Passages that answer a query; `more` are fields of the request, such as `limit`."""
        body: Any = {**_body("query", query), **more}
        return await self.api.search(body, options=options)

    async def redact(
        self, text: Union[str, types.RedactBody], *, options: Optional[CallOptions] = None, **more: Any
    ) -> types.RedactedText:
        """A text without private values."""
        body: Any = {**_body("text", text), **more}
        return await self.api.redact(body, options=options)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncCarrel:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncCarrel(base_url={self._transport.settings.base_url!r})"


def _body(name: str, given: Any) -> Dict[str, Any]:
    return {name: given} if isinstance(given, str) else dict(given)


