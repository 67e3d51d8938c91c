"""Calls by way of each of the ways that it is given, and says what came of it."""

import asyncio
import inspect
import io
import json
import logging
import os
import sys
import traceback

import carrel

kind = carrel.AsyncCarrel if sys.argv[1:] == ["async"] else carrel.Carrel
logged = io.StringIO()
logging.basicConfig(level=logging.DEBUG, stream=logged)


async def done(result):
    return await result if inspect.isawaitable(result) else result


async def call(way):
    client = None
    try:
        client = kind(way["url"], way["token"], proxy=way.get("proxy"), tls_roots=way.get("roots"), retry_time=0)
        answer = await done(client.files.upload(os.environ["CARREL_TEST_FILE"]))
        came = (await done(client.files.get(answer["files"][0]["id"])))["name"]
        reply = client.conversations.stream("Hello", model="builtin/extractive")
        await done(reply.final_message())
        told = ""
    except Exception as error:
        came = type(error).__name__
        told = traceback.format_exc() + repr(error)
    if client:
        told += repr(client) + repr(vars(client)) + repr(client._transport.settings)
        await done(client.close())
    return {"came": came, "told": told + logged.getvalue()}


for way in json.loads(os.environ["CARREL_TEST_WAYS"]):
    print(json.dumps(asyncio.run(call(way))))
