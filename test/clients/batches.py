"""Batches with OpenAI's Python client; prints what it was told."""
import io
import json
import os
import time

from openai import OpenAI

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["TOKEN"], max_retries=0)


def request(custom_id, model):
    body = {"model": model, "messages": [{"role": "user", "content": "Hi."}]}
    return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def run(requests):
    lines = "\n".join(json.dumps(each) for each in requests)
    file = client.files.create(file=("requests.jsonl", io.BytesIO(lines.encode())), purpose="batch")
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
    )
    while batch.status in ("validating", "in_progress", "finalizing"):
        time.sleep(0.05)
        batch = client.batches.retrieve(batch.id)
    return batch


def lines_of(file_id):
    return [json.loads(line) for line in client.files.content(file_id).text.splitlines()]


batch = run([request("good", os.environ["MODEL"]), request("bad", "ollama/none")])
counts = batch.request_counts
wrong = run([request("twice", "m"), request("twice", "m")])

print(
    json.dumps(
        {
            "status": batch.status,
            "counts": [counts.total, counts.completed, counts.failed],
            "answers": {
                line["custom_id"]: line["response"]["body"]["choices"][0]["message"]["content"]
                for line in lines_of(batch.output_file_id)
            },
            "errors": {
                line["custom_id"]: line["response"]["status_code"] for line in lines_of(batch.error_file_id)
            },
            "listed": batch.id in [each.id for each in client.batches.list(limit=1)],
            "line": wrong.errors.data[0].line,
        }
    )
)
