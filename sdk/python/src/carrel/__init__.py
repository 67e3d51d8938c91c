"""Client of Carrel: files, search, streamed conversations and agents of a server that you run yourself."""

from . import types, webhooks
from ._async._client import AsyncCarrel
from ._codes import *  # noqa: F403
from ._errors import AnswerError, ApiError, CarrelError, ConnectionError, IndexingError, SignatureError, TimeoutError
from ._policy import CallOptions
from ._sync._client import Carrel
from ._upload import UploadFile
from .types import VERSION as __version__

__all__ = [
    "AnswerError",
    "ApiError",
    "AsyncCarrel",
    "CallOptions",
    "Carrel",
    "CarrelError",
    "ConnectionError",
    "IndexingError",
    "SignatureError",
    "TimeoutError",
    "UploadFile",
    "__version__",
    "types",
    "webhooks",
]
