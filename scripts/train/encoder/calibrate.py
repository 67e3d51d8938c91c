"""A few texts of many kinds, by which the inputs of the layers are brought to 8 bits."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

_TEXTS = Path(__file__).with_name("calibration.txt")


def texts() -> list[str]:
    """With the prefixes of a question and a passage."""
    return _TEXTS.read_text(encoding="utf8").splitlines()


def inputs(tokenizer: Tokenizer) -> Iterator[dict[str, np.ndarray]]:
    for text in texts():
        ids = np.array([tokenizer.encode(text).ids])
        yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}
