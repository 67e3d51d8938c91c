"""Runs calls for the conformance scenarios: one JSON line in, one JSON line out. See ../conformance/README.md.

With `async` as its argument by AsyncCarrel, else by Carrel: what either gives is awaited where it is to be.
"""

import asyncio
import hashlib
import inspect
import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import carrel
from carrel import _policy

_policy.FIRST_PAUSE_SECONDS = 0.05  # of the many tries that scenarios ask for
IS_ASYNC = "async" in sys.argv[1:]
BODIES = {
    *("files.add_text", "files.add_url", "files.update", "conversations.update", "agents.decide"),
    *("sources.create", "sources.update", "webhooks.create", "webhooks.update", "keys.create", "keys.update"),
}


async def settled(given):
    return await given if inspect.isawaitable(given) else given


async def most(items, limit=None):
    taken = []
    if hasattr(items, "__aiter__"):
        async for item in items:
            taken.append(item)
            if limit and len(taken) >= limit:
                break
    else:
        for item in items:
            taken.append(item)
            if limit and len(taken) >= limit:
                break
    return taken


def is_items(given):
    return hasattr(given, "__aiter__") or inspect.isgenerator(given)


def generated(size):
    chunk = b"a" * 65536
    for left in range(size, 0, -len(chunk)):
        yield chunk[: min(left, len(chunk))]


def upload_of(file):
    name, streamed = file.get("name"), file.get("stream")
    if "path" in file:
        return carrel.UploadFile(open(file["path"], "rb") if streamed else file["path"], name)
    if "bytes" in file:
        return carrel.UploadFile(generated(file["bytes"]) if streamed else b"a" * file["bytes"], name)
    content = file["text"].encode()
    return carrel.UploadFile(io.BytesIO(content) if streamed else content, name)


async def replied(reply, how, limit):
    if how == "text":
        return "".join(await most(reply.text(), limit))
    if how == "final":
        return await settled(reply.final_message())
    return await most(reply, limit)


async def of_conversations(client, word, ids, body, options, limit):
    how = body.pop("as", None)
    if word != "regenerate" and "message" in body:
        ids = [*ids, body.pop("message")]
    return await replied(getattr(client.conversations, word)(*ids, options=options, **body), how, limit)


async def followed(client, body, options, limit):
    cursor = [body.get("after")]
    events = client.events.follow(
        types=body.get("types"), after=cursor[0], save=lambda id_: cursor.__setitem__(0, id_), once=True, options=options
    )
    return {"events": await most(events, limit), "cursor": cursor[0]}


async def answered(client, line, options):
    call, ids, limit = line["call"], line["ids"], line.get("limit")
    body = dict(line.get("body") or {})
    area, _, word = call.partition(".")
    if not word:
        return await settled(getattr(client, area)(body, options=options))
    if area == "conversations" and word in ("stream", "send", "regenerate", "follow"):
        return await of_conversations(client, word, ids, body, options, limit)
    if call == "files.upload":
        return await settled(client.files.upload([upload_of(file) for file in line["files"]], options=options, **body))
    if call == "files.upload_dir":
        done = await settled(client.files.upload_dir(body["path"], options=options, **body.get("fields", {})))
        return {"uploaded": done.uploaded, "unchanged": done.unchanged, "rejected": done.rejected}
    if call == "files.download":
        content = await settled((await settled(client.files.download(*ids, options=options))).read())
        return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if call == "files.wait_until_searchable":
        return await settled(client.files.wait_until_searchable(ids, options=options))
    if call == "events.follow":
        return await followed(client, body, options, limit)
    if call == "webhooks.verify":
        return client.webhooks.verify(body["text"], body["headers"], body["secret"])
    method = getattr(getattr(client, area), word)
    if call in ("agents.start", "agents.run"):
        ids = [body.pop("task")]
    if call == "batches.create":
        ids = [body.pop("requests")]
    got = method(*ids, body, options=options) if call in BODIES else method(*ids, options=options, **body)
    return await most(got, limit) if is_items(got) else await settled(got)


def seconds(milliseconds):
    return None if milliseconds is None else milliseconds / 1000


def options_of(given, more):
    return carrel.CallOptions(
        timeout=seconds(given.get("timeout_ms")),
        retry_time=seconds(given.get("retry_ms")),
        headers={**given.get("headers", {}), **more},
        idempotency_key=given.get("idempotency_key"),
    )


async def carried_out(client, line, more=None):
    given = line["options"]
    work = answered(client, line, options_of(given, more or {}))
    try:
        if "cancel_after_ms" in given:
            task = asyncio.ensure_future(work)
            asyncio.get_running_loop().call_later(given["cancel_after_ms"] / 1000, task.cancel)
            return {"result": await task}
        return {"result": await work}
    except asyncio.CancelledError:
        return {"error": {"class": "Cancelled"}}
    except carrel.ApiError as error:
        names = ("code", "status", "message", "details", "hint", "request_id", "retry_after")
        return {"error": {"class": type(error).__name__, **{name: getattr(error, name) for name in names}}}
    except Exception as error:
        return {"error": {"class": type(error).__name__, "message": str(error)}}


async def swept(client, line):
    """The same call with its answer cut at each place; what is told, each once."""
    sweep = line["sweep"]
    places = range(0, sweep["to"] + 1, sweep["step"])
    slots = asyncio.Semaphore(sweep["parallel"])
    threads = ThreadPoolExecutor(sweep["parallel"])

    async def one(at):
        more = {"x-cut-answer": str(at)}
        async with slots:
            if IS_ASYNC:
                return await carried_out(client, line, more)
            # Carrel blocks: each in a thread with a loop of its own.
            return await asyncio.get_running_loop().run_in_executor(threads, asyncio.run, carried_out(client, line, more))

    answers = await asyncio.gather(*map(one, places))
    threads.shutdown()
    seen = {json.dumps(each): each for each in answers}
    return {"result": {"calls": len(answers), "answers": list(seen.values())}}


async def main():
    loop = asyncio.get_running_loop()
    while True:
        text = await loop.run_in_executor(None, sys.stdin.readline)
        if not text:
            return
        line = json.loads(text)
        kind = carrel.AsyncCarrel if IS_ASYNC else carrel.Carrel
        given = line["client"]
        client = kind(given["base_url"], given["token"], retry_time=given["retry_ms"] / 1000)
        done = await (swept if "sweep" in line else carried_out)(client, line)
        await settled(client.close())
        print(json.dumps(done), flush=True)


asyncio.run(main())
