"""What the teacher makes of each piece alone: `teacher.py MODEL_FOLDER OUT.npy`, half an hour on one core.

Float16 rows, one per piece: the mean over `<s> piece </s>`, unit length, and the piece's own state behind it. MODEL_FOLDER
is models/multilingual-e5-small with a graph that gives the states (the shipped one pools them; ../encoder writes both).
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime

BEGIN, END = 0, 2
BATCH = 256


def main(model: Path, out: Path) -> None:
    shared = len(json.loads((model / "tokenizer.json").read_text(encoding="utf8"))["model"]["vocab"])
    session = onnxruntime.InferenceSession(str(next((model / "onnx").glob("*.onnx"))))
    wanted = {given.name for given in session.get_inputs()}
    rows = []
    for first in range(0, shared, BATCH):
        ids = np.arange(first, min(first + BATCH, shared))
        tokens = np.stack([np.full_like(ids, BEGIN), ids, np.full_like(ids, END)], 1)
        given = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        states = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        mean = states.mean(1)
        rows.append(np.concatenate([mean / np.linalg.norm(mean, axis=1, keepdims=True), states[:, 1]], 1))
    np.save(out, np.concatenate(rows).astype(np.float16))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
