"""Whether a message is from Carrel, by the rules of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Mapping, Optional, Union, cast

from ._errors import SignatureError

TOLERANCE_SECONDS = 300


def verify(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """The event of a message, `{id, type, timestamp, data}`, once its signature holds.

    `body` is as it came, before anything parsed it; `secret` is `whsec_…`. Raises SignatureError.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id_, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError:
        raise SignatureError("the headers of a webhook are missing") from None
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise SignatureError("webhook-timestamp is no time")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise SignatureError("the message is too old, or of the future")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{id_}.{timestamp}.".encode() + raw
    expected = base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
    versions = (signature.partition(",") for signature in signatures.split(" "))
    # Each is compared: how long it takes tells nothing.
    if not any([hmac.compare_digest(value.encode(), expected) for version, _, value in versions if version == "v1"]):
        raise SignatureError("no signature holds")
    try:
        return {**cast(Dict[str, Any], json.loads(raw)), "id": id_}
    except (ValueError, TypeError):
        raise SignatureError("the body is no JSON object") from None


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        raise SignatureError("the secret is no base64") from None
