"""The other words of the API: each a thin layer over the calls."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, AsyncIterator, Callable, Dict, Mapping, Optional, Sequence, Union, cast

import httpx

from .. import types
from .. import webhooks as signatures
from .._policy import CallOptions
from ._calls import ROUTES, AsyncCalls
from ._looks import looked
from ._pages import every
from ._platform import sleep
from ._stream import AsyncReply, resumed
from ._transport import AsyncTransport

BETWEEN_LOOKS_SECONDS = 2.0
EVENTS_OF_PAGE = 500
ENDED = ("completed", "failed", "expired", "cancelled")


class AsyncResource:
    def __init__(self, transport: AsyncTransport, calls: AsyncCalls) -> None:
        self._transport = transport
        self._calls = calls


class AsyncModels(AsyncResource):
    async def list(self, *, options: Optional[CallOptions] = None) -> Sequence[types.Model]:
        return await self._calls.list_models(options=options)


class AsyncTokens(AsyncResource):
    """Short-lived tokens that can do less than the key that makes them."""

    async def create(self, *, options: Optional[CallOptions] = None, **body: Any) -> types.ScopedToken:
        return await self._calls.create_token(cast(Any, body), options=options)


class AsyncConversations(AsyncResource):
    """`more` are fields of the request, such as `model` and `filter`."""

    def stream(self, message: str, *, options: Optional[CallOptions] = None, **more: Any) -> AsyncReply:
        """Asks in a new conversation; the reply comes as a stream."""
        body = {"message": message, **more}
        return AsyncReply(self._transport, ROUTES["createConversation"], None, {}, body, options)

    def send(
        self, conversation_id: str, message: str, *, options: Optional[CallOptions] = None, **more: Any
    ) -> AsyncReply:
        """Asks on in a conversation."""
        path = {"conversation_id": conversation_id}
        body = {"message": message, **more}
        return AsyncReply(self._transport, ROUTES["sendMessage"], conversation_id, path, body, options)

    def regenerate(
        self, conversation_id: str, message_id: str, *, options: Optional[CallOptions] = None, **more: Any
    ) -> AsyncReply:
        """Writes a reply anew."""
        path = {"conversation_id": conversation_id, "message_id": message_id}
        return AsyncReply(self._transport, ROUTES["regenerateMessage"], conversation_id, path, more, options)

    def follow(self, conversation_id: str, *, options: Optional[CallOptions] = None) -> AsyncReply:
        """The newest reply, from its beginning, as long as it is written."""
        return AsyncReply(self._transport, None, conversation_id, {}, None, options)

    async def cancel(self, conversation_id: str, *, options: Optional[CallOptions] = None) -> types.Conversation:
        return await self._calls.cancel_reply(conversation_id, options=options)

    def list(self, *, options: Optional[CallOptions] = None, **query: Any) -> AsyncIterator[Dict[str, Any]]:
        return every(self._transport, ROUTES["listConversations"], query, options)

    async def get(self, conversation_id: str, *, options: Optional[CallOptions] = None) -> types.Conversation:
        return await self._calls.get_conversation(conversation_id, options=options)

    async def update(
        self, conversation_id: str, body: types.UpdateConversationBody, *, options: Optional[CallOptions] = None
    ) -> types.Conversation:
        return await self._calls.update_conversation(conversation_id, body, options=options)

    async def delete(self, conversation_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.delete_conversation(conversation_id, options=options)


class AsyncAgents(AsyncResource):
    async def run(self, task: str, *, options: Optional[CallOptions] = None, **more: Any) -> types.Run:
        """The run, once it has ended or waits for an approval. It goes on where the caller is cancelled: `start` tells its id first."""
        started = await self.start(task, options=options, **more)
        return await self.wait(started["run_id"], options=options)

    async def start(self, task: str, *, options: Optional[CallOptions] = None, **more: Any) -> types.Run:
        """Begins a run, which goes on by itself."""
        body: Any = {"task": task, **more}
        return await self._calls.run_agent(body, prefer="respond-async", options=options)

    async def wait(self, run_id: str, *, options: Optional[CallOptions] = None) -> types.Run:
        """The run, once it has ended or waits for an approval."""
        return await looked(partial(self.get, run_id, options=options), lambda run: run["status"] != "running")

    def follow(self, run_id: str, *, options: Optional[CallOptions] = None) -> AsyncIterator[types.RunEvent]:
        """Its events from the first on, as they happen."""
        given = options or CallOptions()

        async def open_(after: Optional[int]) -> httpx.Response:
            path = {"run_id": run_id}
            return await self._transport.open(ROUTES["watchRun"], path=path, options=given, last_event_id=after)

        retry_time = self._transport.settings.retry_time if given.retry_time is None else given.retry_time
        return cast("AsyncIterator[types.RunEvent]", resumed(open_, retry_time))

    async def cancel(self, run_id: str, *, options: Optional[CallOptions] = None) -> types.Run:
        return await self._calls.cancel_run(run_id, options=options)

    async def decide(
        self, run_id: str, approval_id: str, body: types.DecideApprovalBody, *, options: Optional[CallOptions] = None
    ) -> types.Approval:
        return await self._calls.decide_approval(run_id, approval_id, body, options=options)

    async def get(self, run_id: str, *, options: Optional[CallOptions] = None) -> types.Run:
        return await self._calls.get_run(run_id, options=options)

    def list(self, *, options: Optional[CallOptions] = None, **query: Any) -> AsyncIterator[types.RunSummary]:
        return every(self._transport, ROUTES["listRuns"], query, options)

    async def delete(self, run_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.delete_run(run_id, options=options)


class AsyncSources(AsyncResource):
    async def create(
        self, body: types.CreateSourceBody, *, options: Optional[CallOptions] = None
    ) -> types.SyncedSource:
        return await self._calls.create_source(body, options=options)

    def list(self, *, options: Optional[CallOptions] = None) -> AsyncIterator[types.SyncedSource]:
        return every(self._transport, ROUTES["listSources"], {}, options)

    async def get(self, source_id: str, *, options: Optional[CallOptions] = None) -> types.SyncedSource:
        return await self._calls.get_source(source_id, options=options)

    async def update(
        self, source_id: str, body: types.UpdateSourceBody, *, options: Optional[CallOptions] = None
    ) -> types.SyncedSource:
        return await self._calls.update_source(source_id, body, options=options)

    async def delete(self, source_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.delete_source(source_id, options=options)

    async def sync(
        self, source_id: str, *, options: Optional[CallOptions] = None, **body: Any
    ) -> Union[types.SourceDryRun, types.SyncSourceAnswer]:
        return await self._calls.sync_source(source_id, body=cast(Any, body), options=options)


class AsyncEvents(AsyncResource):
    async def list(self, *, options: Optional[CallOptions] = None, **query: Any) -> types.EventList:
        """One page: what came `after` an event."""
        return await self._calls.list_events(**query, options=options)

    async def follow(
        self,
        *,
        types: Optional[Sequence[str]] = None,
        after: Optional[str] = None,
        save: Optional[Callable[[str], None]] = None,
        once: bool = False,
        pause: float = BETWEEN_LOOKS_SECONDS,
        options: Optional[CallOptions] = None,
    ) -> AsyncIterator[Dict[str, Any]]:
        """Every event behind `after`, each once, as they come. `save` is told the id of each event that was taken, when the next one
        is asked for: give it back as `after`. With `once` it ends where there are no more."""
        query: Dict[str, Any] = {"types": types, "limit": EVENTS_OF_PAGE}
        while True:
            route = ROUTES["listEvents"]
            page = await self._transport.call(route, query={**query, "after": after}, options=options)
            for event in page["data"]:
                yield event
                after = event["id"]
                if save:
                    save(event["id"])
            if page["data"]:
                continue
            if once:
                return
            await sleep(pause)


class AsyncWebhooks(AsyncResource):
    async def create(
        self, body: types.CreateWebhookBody, *, options: Optional[CallOptions] = None
    ) -> types.NewWebhook:
        return await self._calls.create_webhook(body, options=options)

    def list(self, *, options: Optional[CallOptions] = None) -> AsyncIterator[types.Webhook]:
        return every(self._transport, ROUTES["listWebhooks"], {}, options)

    async def update(
        self, webhook_id: str, body: types.ChangeWebhookBody, *, options: Optional[CallOptions] = None
    ) -> types.Webhook:
        return await self._calls.change_webhook(webhook_id, body, options=options)

    async def delete(self, webhook_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.delete_webhook(webhook_id, options=options)

    @staticmethod
    def verify(body: Union[str, bytes], headers: Mapping[str, str], secret: str) -> Dict[str, Any]:
        """As `carrel.webhooks.verify`, which needs no client."""
        return signatures.verify(body, headers, secret)


class AsyncBatches(AsyncResource):
    async def create(
        self, requests: Sequence[Mapping[str, Any]], *, options: Optional[CallOptions] = None, **more: Any
    ) -> types.Batch:
        body: Any = {"requests": [dict(request) for request in requests], **more}
        return await self._calls.start_batch(body, options=options)

    async def get(self, batch_id: str, *, options: Optional[CallOptions] = None) -> types.Batch:
        return await self._calls.get_started_batch(batch_id, options=options)

    async def cancel(self, batch_id: str, *, options: Optional[CallOptions] = None) -> types.Batch:
        return await self._calls.cancel_started_batch(batch_id, options=options)

    async def wait(self, batch_id: str, *, options: Optional[CallOptions] = None) -> types.Batch:
        """The batch, once it has ended."""
        return await looked(partial(self.get, batch_id, options=options), lambda batch: batch["status"] in ENDED)

    async def results(self, batch_id: str, *, options: Optional[CallOptions] = None) -> AsyncIterator[Dict[str, Any]]:
        """The lines of its output and error files, as they are read."""
        batch = await self.get(batch_id, options=options)
        for file_id in (batch.get("output_file_id"), batch.get("error_file_id")):
            if not file_id:
                continue
            rest = b""
            async for chunk in await self._calls.download_file_object(file_id, options=options):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line:
                        yield json.loads(line)
            if rest:
                yield json.loads(rest)


class AsyncKeys(AsyncResource):
    async def create(self, body: types.CreateKeyBody, *, options: Optional[CallOptions] = None) -> types.NewKey:
        """Its secret parts are told this once. Not tried again after a cut: a second key would be left behind."""
        return await self._calls.create_key(body, options=options)

    def list(self, *, options: Optional[CallOptions] = None) -> AsyncIterator[types.ApiKey]:
        return every(self._transport, ROUTES["listKeys"], {}, options)

    async def update(
        self, key_id: str, body: types.UpdateKeyBody, *, options: Optional[CallOptions] = None
    ) -> types.ApiKey:
        return await self._calls.update_key(key_id, body, options=options)

    async def rotate(self, key_id: str, *, options: Optional[CallOptions] = None, **body: Any) -> types.NewKey:
        return await self._calls.rotate_key(key_id, body=cast(Any, body), options=options)

    async def revoke(self, key_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.revoke_key(key_id, options=options)
