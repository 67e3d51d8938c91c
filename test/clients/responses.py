"""Responses with OpenAI's Python client; prints what it was told."""
import json
import os
import time

from openai import NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["TOKEN"], max_retries=0)
model = os.environ["MODEL"]
search = {"type": "file_search", "vector_store_ids": [os.environ["STORE"]]}
weather = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}, "strict": False}


class Notice(BaseModel):
    days: int


first = client.responses.create(model=model, input="Who are you?")
again = client.responses.retrieve(first.id)

with client.responses.stream(
    model=model, input="case-lease notice?", tools=[search], include=["file_search_call.results"]
) as stream:
    streamed = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    final = stream.get_final_response()
annotation = final.output[1].content[0].annotations[0]

asked = client.responses.create(model=model, input="case-pycall", tools=[weather])
call = next(item for item in asked.output if item.type == "function_call")
result = client.responses.create(
    model=model,
    tools=[weather],
    previous_response_id=asked.id,
    input=[{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}],
)
parsed = client.responses.parse(model=model, input="case-form", text_format=Notice)

background = client.responses.create(model=model, input="Hello", background=True)
while background.status in ("queued", "in_progress"):
    time.sleep(0.05)
    background = client.responses.retrieve(background.id)
client.responses.delete(first.id)
try:
    client.responses.retrieve(first.id)
    missing = None
except NotFoundError as error:
    missing = [error.status_code, error.code]

print(
    json.dumps(
        {
            "text": first.output_text,
            "again": again.output_text,
            "streamed": streamed,
            "cited": annotation.filename,
            "found": final.output[0].results[0].text,
            "called": json.loads(call.arguments),
            "result": result.output_text,
            "parsed": parsed.output_parsed.days,
            "background": background.status,
            "missing": missing,
        }
    )
)
