"""What the Python SDK costs over httpx; with `async` as its argument AsyncCarrel over httpx.AsyncClient. See ../sdk.ts."""

import asyncio
import json
import math
import os
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

import carrel

IS_ASYNC = "async" in sys.argv[1:]
BENCH = json.loads(os.environ["CARREL_BENCH"])
ROUNDS = BENCH["rounds"]
API = os.environ["CARREL_URL"] + "/external-docs/external"
HEADERS = {"authorization": "Bearer " + os.environ["CARREL_TOKEN"]}
LONG = carrel.CallOptions(timeout=600)
ASKED = {"message": "What is the notice period?", "model": "builtin/extractive"}
KEEP = {"on_duplicate": "keep_both"}
FILES_OF_FORM = 50
AT_ONCE = 4


def turns(count):
    """Which of the two, and whether it counts: a tenth more, before, do not."""
    for round in range(-math.ceil(count / 10), count):
        for by in ("sdk", "bare") if round % 2 else ("bare", "sdk"):
            yield by, round >= 0


def told(name, took):
    if took["sdk"]:
        print(json.dumps({"name": name, **took}), flush=True)


def measure(name, count, sdk, bare):
    took = {"sdk": [], "bare": []}
    for by, counts in turns(count):
        began = time.perf_counter()
        after = (sdk if by == "sdk" else bare)()
        ms = (time.perf_counter() - began) * 1000
        if after:
            after()
        if counts:
            took[by].append(ms)
    told(name, took)


async def measure_async(name, count, sdk, bare):
    took = {"sdk": [], "bare": []}
    for by, counts in turns(count):
        began = time.perf_counter()
        after = await (sdk if by == "sdk" else bare)()
        ms = (time.perf_counter() - began) * 1000
        if after:
            await after()
        if counts:
            took[by].append(ms)
    told(name, took)


def forms():
    """The files of the folder, as many as go together."""
    paths = [path for path in Path(BENCH["many"]).rglob("*") if path.is_file()]
    return (paths[at : at + FILES_OF_FORM] for at in range(0, len(paths), FILES_OF_FORM))


def opened(paths):
    return [("files", (path.name, open(path, "rb"))) for path in paths]


def closed(files):
    for _, (_, file) in files:
        file.close()


def blocking():
    client = carrel.Carrel(timeout=600)
    http = httpx.Client(headers=HEADERS, timeout=600)

    def sent(paths, data):
        files = opened(paths)
        answer = http.post(f"{API}/upload", files=files, data=data).json()
        closed(files)
        return answer["files"]

    def removed(id):
        return lambda: client.files.delete(id)

    def by_sdk():
        client.files.upload_dir(BENCH["many"], manifest=BENCH["manifest"])
        return lambda: os.unlink(BENCH["manifest"])

    def by_forms():
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda paths: sent(paths, {}), forms()))

    def downloaded():
        with http.stream("GET", f"{API}/libraries/{BENCH['down']}/content") as answer:
            for _ in answer.iter_bytes():
                pass

    def replied():
        headers = {"accept": "text/event-stream", "idempotency-key": str(uuid.uuid4())}
        with http.stream("POST", f"{API}/conversations", json=ASKED, headers=headers) as answer:
            for _ in answer.iter_bytes():
                pass

    def read():
        for _ in client.files.download(BENCH["down"]):
            pass

    def search():
        client.search("notice period")

    def record():
        client.files.get(BENCH["file"])

    def plain_search():
        http.post(f"{API}/search", json={"query": "notice period"}).json()

    def plain_record():
        http.get(f"{API}/libraries/{BENCH['file']}").json()

    def reply():
        client.conversations.stream(**ASKED).final_message()

    measure("a record", ROUNDS["calls"], record, plain_record)
    measure("a search", ROUNDS["calls"], search, plain_search)
    measure("a reply as a stream", ROUNDS["replies"], reply, replied)
    measure(
        "a gigabyte up",
        ROUNDS["gigabytes"],
        lambda: removed(client.files.upload(BENCH["large"], **KEEP)["files"][0]["id"]),
        lambda: removed(sent([Path(BENCH["large"])], KEEP)[0]["id"]),
    )
    measure("a gigabyte down", ROUNDS["downloads"], read, downloaded)
    measure("a folder", ROUNDS["folders"], by_sdk, by_forms)


async def asynchronous():
    client = carrel.AsyncCarrel(timeout=600)
    http = httpx.AsyncClient(headers=HEADERS, timeout=600)

    async def sent(paths, data):
        files = opened(paths)
        answer = (await http.post(f"{API}/upload", files=files, data=data)).json()
        closed(files)
        return answer["files"]

    def removed(id):
        return lambda: client.files.delete(id)

    async def up():
        return removed((await client.files.upload(BENCH["large"], **KEEP))["files"][0]["id"])

    async def plain_up():
        return removed((await sent([Path(BENCH["large"])], KEEP))[0]["id"])

    async def unlinked():
        os.unlink(BENCH["manifest"])

    async def by_sdk():
        await client.files.upload_dir(BENCH["many"], manifest=BENCH["manifest"])
        return unlinked

    async def by_forms():
        left = forms()

        async def worker():
            for paths in left:
                await sent(paths, {})

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))

    async def downloaded():
        async with http.stream("GET", f"{API}/libraries/{BENCH['down']}/content") as answer:
            async for _ in answer.aiter_bytes():
                pass

    async def replied():
        headers = {"accept": "text/event-stream", "idempotency-key": str(uuid.uuid4())}
        async with http.stream("POST", f"{API}/conversations", json=ASKED, headers=headers) as answer:
            async for _ in answer.aiter_bytes():
                pass

    async def read():
        async for _ in await client.files.download(BENCH["down"]):
            pass

    async def search():
        await client.search("notice period")

    async def record():
        await client.files.get(BENCH["file"])

    async def plain_search():
        (await http.post(f"{API}/search", json={"query": "notice period"})).json()

    async def plain_record():
        (await http.get(f"{API}/libraries/{BENCH['file']}")).json()

    async def reply():
        await client.conversations.stream(**ASKED).final_message()

    await measure_async("a record", ROUNDS["calls"], record, plain_record)
    await measure_async("a search", ROUNDS["calls"], search, plain_search)
    await measure_async("a reply as a stream", ROUNDS["replies"], reply, replied)
    await measure_async("a gigabyte up", ROUNDS["gigabytes"], up, plain_up)
    await measure_async("a gigabyte down", ROUNDS["downloads"], read, downloaded)
    await measure_async("a folder", ROUNDS["folders"], by_sdk, by_forms)


asyncio.run(asynchronous()) if IS_ASYNC else blocking()
