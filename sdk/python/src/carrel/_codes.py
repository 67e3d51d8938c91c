"""Made by `npm run sdk:generate`. Do not edit."""

from __future__ import annotations

from typing import Dict, Type

from ._errors import ApiError


class InvalidJsonError(ApiError):
    """the body is not valid JSON"""


class InvalidRequestError(ApiError):
    """the request is not valid"""


class InvalidMultipartError(ApiError):
    """the body is not valid multipart/form-data with at least one file part"""


class EmptyFileError(ApiError):
    """the file is empty"""


class UnauthorizedError(ApiError):
    """the credentials are not valid"""


class ForbiddenError(ApiError):
    """the credentials do not allow this"""


class NotFoundError(ApiError):
    """there is nothing here"""


class ModelNotFoundError(ApiError):
    """there is no such model"""


class MethodNotAllowedError(ApiError):
    """this path does not support that method"""


class RequestTimeoutError(ApiError):
    """the request did not arrive completely in time"""


class AgentTimeoutError(ApiError):
    """the agent run passed its timeout"""


class ConversationBusyError(ApiError):
    """a reply is already being written in this conversation"""


class GuardedError(ApiError):
    """so much is gone at once that nothing was deleted"""


class ConflictError(ApiError):
    """the current state does not allow this"""


class OnHoldError(ApiError):
    """a hold keeps it"""


class FileTooLargeError(ApiError):
    """the file is larger than allowed"""


class RequestTooLargeError(ApiError):
    """the request body is larger than allowed"""


class UnsupportedFileTypeError(ApiError):
    """files of this type cannot be read"""


class UnsupportedMediaTypeError(ApiError):
    """the Content-Type is not supported here"""


class RangeNotSatisfiableError(ApiError):
    """the requested range lies outside the file"""


class InvalidFilterError(ApiError):
    """the filter is not valid"""


class InvalidPatternError(ApiError):
    """a custom redaction pattern is not valid"""


class OutputSchemaViolationError(ApiError):
    """the answer never met output_schema"""


class RateLimitedError(ApiError):
    """too many requests"""


class QuotaExceededError(ApiError):
    """the quota is used up"""


class InternalError(ApiError):
    """something went wrong inside the daemon"""


class FetchFailedError(ApiError):
    """the address could not be fetched"""


class ModelError(ApiError):
    """the model server answered with an error"""


class ModelUnavailableError(ApiError):
    """the model server cannot be reached"""


class OverloadedError(ApiError):
    """too much work is already queued"""


class StoreUnavailableError(ApiError):
    """a store that this needs cannot be reached at present"""


class InsufficientStorageError(ApiError):
    """there is no space left to store this"""


ERROR_CLASSES: Dict[str, Type[ApiError]] = {
    "invalid_json": InvalidJsonError,
    "invalid_request": InvalidRequestError,
    "invalid_multipart": InvalidMultipartError,
    "empty_file": EmptyFileError,
    "unauthorized": UnauthorizedError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "model_not_found": ModelNotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "request_timeout": RequestTimeoutError,
    "agent_timeout": AgentTimeoutError,
    "conversation_busy": ConversationBusyError,
    "guarded": GuardedError,
    "conflict": ConflictError,
    "on_hold": OnHoldError,
    "file_too_large": FileTooLargeError,
    "request_too_large": RequestTooLargeError,
    "unsupported_file_type": UnsupportedFileTypeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "range_not_satisfiable": RangeNotSatisfiableError,
    "invalid_filter": InvalidFilterError,
    "invalid_pattern": InvalidPatternError,
    "output_schema_violation": OutputSchemaViolationError,
    "rate_limited": RateLimitedError,
    "quota_exceeded": QuotaExceededError,
    "internal_error": InternalError,
    "fetch_failed": FetchFailedError,
    "model_error": ModelError,
    "model_unavailable": ModelUnavailableError,
    "overloaded": OverloadedError,
    "store_unavailable": StoreUnavailableError,
    "insufficient_storage": InsufficientStorageError,
}
"""The class of each code."""
