"""Finds how large the inputs of the layers become, by running the model in floats over a few texts of many kinds."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from tokenizers import Tokenizer

TEXTS = Path(__file__).with_name("calibration.txt")


def largest(model: onnx.ModelProto, tokenizer: Tokenizer, layers: int) -> dict[str, np.ndarray]:
    """By the name of the states: the largest absolute value of each column."""
    names = ["emb.ln.out"]
    names += [f"l{layer}.{part}" for layer in range(layers) for part in ("aln.out", "active", "oln.out")]
    observed = onnx.ModelProto()
    observed.CopyFrom(model)
    observed.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    session = onnxruntime.InferenceSession(observed.SerializeToString())
    found = {name: np.zeros(1, np.float32) for name in names}
    for text in TEXTS.read_text(encoding="utf8").splitlines():
        ids = np.array([tokenizer.encode(text).ids])
        states = session.run(names, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        for name, values in zip(names, states):
            found[name] = np.maximum(found[name], np.abs(values[0]).max(0))
    return found
