"""The library's Model Context Protocol server with the official Python client; prints what it was told."""
import asyncio
import json
import os

import httpx2
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def look(client: Client) -> dict:
    tools = await client.list_tools()
    found = await client.call_tool("search", {"query": "when the lease ends"})
    first = found.structured_content["results"][0]
    text = await client.call_tool("fetch", {"id": first["id"]})
    wrong = await client.call_tool("search", {})
    resources = await client.list_resources()
    templates = await client.list_resource_templates()
    read = await client.read_resource(f"carrel://file/{first['id']}")
    try:
        await client.read_resource("carrel://file/file_none")
        missing = None
    except MCPError as error:
        missing = error.error.code
    return {
        "tools": sorted(tool.name for tool in tools.tools),
        "read_only": sorted(tool.name for tool in tools.tools if tool.annotations.read_only_hint),
        "title": first["title"],
        "url": bool(first["url"]),
        "same": json.loads(found.content[0].text) == found.structured_content,
        "text": "twelve months" in text.structured_content["text"],
        "wrong": wrong.is_error,
        "resources": len(resources.resources),
        "template": templates.resource_templates[0].uri_template,
        "read": "twelve months" in read.contents[0].text,
        "missing": missing,
    }


async def main() -> None:
    headers = {"authorization": f"Bearer {os.environ['TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        async with Client(streamable_http_client(os.environ["URL"], http_client=http)) as client:
            over_http = await look(client)
    command, *args = json.loads(os.environ["COMMAND"])
    environment = {"CARREL_TOKEN": os.environ["TOKEN"], "PATH": os.environ["PATH"]}
    server = StdioServerParameters(command=command, args=[*args, "mcp", "--url", os.environ["URL"]], env=environment)
    async with Client(stdio_client(server)) as client:
        over_stdio = await look(client)
    print(json.dumps({"http": over_http, "stdio": over_stdio}))


asyncio.run(main())
