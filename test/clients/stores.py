"""Files and vector stores with OpenAI's Python client; prints what it was told."""
import json
import os
from pathlib import Path

from openai import NotFoundError, OpenAI

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["TOKEN"], max_retries=0)
documents = Path(os.environ["DOCUMENTS"])

made = client.files.create(file=documents / "lease.txt", purpose="user_data")
status = client.files.wait_for_processing(made.id, poll_interval=0.05).status

store = client.vector_stores.create(name="Python")
with open(documents / "lease.pdf", "rb") as pdf:
    lease = client.vector_stores.files.upload_and_poll(vector_store_id=store.id, file=pdf, attributes={"year": 2026})
batch = client.vector_stores.file_batches.upload_and_poll(
    vector_store_id=store.id, files=[documents / "rents.csv"], file_ids=[made.id]
)
found = client.vector_stores.search(vector_store_id=store.id, query="rent of the attic", max_num_results=20)
narrow = {"type": "eq", "key": "year", "value": 2026}
filtered = client.vector_stores.search(vector_store_id=store.id, query="rent of the attic", filters=narrow)
closed = client.vector_stores.retrieve(store.id).status
client.vector_stores.delete(store.id)
try:
    client.vector_stores.retrieve(store.id)
    missing = None
except NotFoundError as error:
    missing = [error.status_code, error.code]

print(
    json.dumps(
        {
            "status": status,
            "store": closed,
            "batch": [batch.file_counts.completed, batch.file_counts.failed],
            "found": next(hit.filename for hit in found if hit.filename == "lease.pdf"),
            "filtered": sorted({hit.filename for hit in filtered}),
            "kept": client.files.retrieve(lease.id).filename,
            "missing": missing,
        }
    )
)
