"""Chat completions with LlamaIndex's OpenAI-like model; prints what it was told."""
import json
import os

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike


def model(name):
    return OpenAILike(
        model=name,
        api_base=os.environ["BASE_URL"],
        api_key=os.environ["TOKEN"],
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )


def weather(city: str) -> str:
    """Tells the weather."""
    return "rain"


llm = model(os.environ["MODEL"])
tool = FunctionTool.from_defaults(fn=weather)
response = llm.chat_with_tools([tool], user_msg="case-tools")
call = llm.get_tool_calls_from_response(response)[0]

print(json.dumps({
    "completed": llm.complete("case-plain").text,
    "chatted": llm.chat([ChatMessage(role="user", content="case-plain")]).message.content,
    "streamed": "".join(chunk.delta or "" for chunk in llm.stream_chat([ChatMessage(role="user", content="case-plain")])),
    "called": [call.tool_name, call.tool_kwargs],
    "library": "90 days" in model("library/builtin/extractive").complete("What is the notice period of the lease?").text,
}))
