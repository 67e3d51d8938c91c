"""Models, chat completions and embeddings with OpenAI's Python client; prints what it was told."""
import json
import math
import os

from openai import BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["TOKEN"], max_retries=0)
model = os.environ["MODEL"]


class Place(BaseModel):
    city: str


def user(text):
    return [{"role": "user", "content": text}]


name = f"library/{model}"
listed = name in [each.id for each in client.models.list()] and client.models.retrieve(name).id == name
plain = client.chat.completions.create(model=model, messages=user("case-plain")).choices[0].message.content

text, total = "", None
for chunk in client.chat.completions.create(
    model=model, messages=user("case-plain"), stream=True, stream_options={"include_usage": True}
):
    text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    total = chunk.usage.total_tokens if chunk.usage else total

schema = {"type": "object", "properties": {"city": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": "weather", "parameters": schema}}]
call = client.chat.completions.create(model=model, messages=user("case-tools"), tools=tools).choices[0].message.tool_calls[0]
parsed = client.chat.completions.parse(model=model, messages=user("case-json"), response_format=Place)

answer = client.chat.completions.create(
    model="library/builtin/extractive", messages=user("What is the notice period of the lease?")
).choices[0].message
cited = answer.annotations[0].url_citation
vectors = client.embeddings.create(model="carrel-embed-multi-v1", input=["The heron nests.", "Rent is due."]).data

try:
    client.chat.completions.create(model=model, messages=user("Hi"), n=2)
    refused = None
except BadRequestError as error:
    refused = [error.status_code, error.param]
try:
    client.chat.completions.create(model="gpt-6", messages=user("Hi"))
    missing = None
except NotFoundError as error:
    missing = [error.status_code, error.code]

print(json.dumps({
    "listed": listed,
    "plain": plain,
    "streamed": [text, total],
    "called": [call.function.name, call.function.arguments],
    "parsed": parsed.choices[0].message.parsed.city,
    "cited": [cited.title, answer.content[cited.start_index:cited.end_index]],
    "vectors": [len(vectors), abs(math.hypot(*vectors[0].embedding) - 1) < 1e-4],
    "refused": refused,
    "missing": missing,
}))
