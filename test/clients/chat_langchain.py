"""Chat completions and embeddings with LangChain's Python client; prints what it was told."""
import json
import os

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import BadRequestError

settings = {"base_url": os.environ["BASE_URL"], "api_key": os.environ["TOKEN"], "max_retries": 0}
chat = ChatOpenAI(model=os.environ["MODEL"], **settings)
schema = {"title": "Place", "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tool = {"type": "function", "function": {"name": "weather", "parameters": schema}}

plain = chat.invoke("case-plain")
streamed = "".join(chunk.content for chunk in chat.stream("case-plain"))
called = chat.bind_tools([tool]).invoke("case-tools").tool_calls
structured = chat.with_structured_output(schema, method="json_schema").invoke("case-json")
library = ChatOpenAI(model="library/builtin/extractive", **settings).invoke("What is the notice period of the lease?")

texts = ["The heron nests.", "Rent is due."]
model = "carrel-embed-multi-v1"
try:
    # What it sends by itself; its tokenizer has to be fetched, so that the request is made here.
    OpenAIEmbeddings(model=model, check_embedding_ctx_length=False, **settings).client.create(model=model, input=[[1, 2, 3]])
    refused = False
except BadRequestError as error:
    refused = "check_embedding_ctx_length=False" in str(error)
vectors = OpenAIEmbeddings(model=model, check_embedding_ctx_length=False, **settings).embed_documents(texts)

print(json.dumps({
    "plain": plain.content,
    "usage": plain.usage_metadata["total_tokens"],
    "streamed": streamed,
    "called": [{"name": each["name"], "args": each["args"]} for each in called],
    "structured": structured,
    "library": "90 days" in library.content,
    "refused": refused,
    "vectors": len(vectors),
}))
