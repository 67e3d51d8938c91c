"""Reads a file of safetensors whose values are floats."""

import json

import numpy as np

_KINDS = {"F32": np.float32, "F16": np.float16}


def read(data: bytes) -> dict[str, np.ndarray]:
    """By name, in single precision; what is not of floats is left out."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in _KINDS:
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + length + begin:8 + length + end], _KINDS[entry["dtype"]])
        found[name] = values.reshape(entry["shape"]).astype(np.float32)
    return found
