"""Finds the space in which the vectors of both encoders stand, and writes models/carrel-embed-joint-v1: README.md tells why.

    python3 scripts/train/joint/fit.py VECTORS

VECTORS holds what `vectors.ts` wrote.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
sys.path.insert(1, str(HERE.parent / "embedding"))
from manifest import enter  # noqa: E402

NAME = "carrel-embed-joint-v1"
REVISION = "1"
# Dimensions of either encoder, and those that the English one has here, beside one for what a guess is shorter.
WIDTH, ENGLISH_WIDTH = 384, 127
# Part of the mean vector of the encoder of many languages that is taken from its vectors.
CENTRED = 0.6
# Share of the similarity by that encoder, in English.
GENERAL = 0.7
# Length of an English side that is guessed, beside one that was read.
GUESSED = 0.6
RIDGE = 0.03
SEED = 11

Matrix = np.ndarray


def unit(rows: Matrix) -> Matrix:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Space:
    """`general`, `english`: vectors of the same English texts by both encoders; `others`: of texts in other languages, by the first."""

    def __init__(self, general: Matrix, english: Matrix, others: Matrix):
        self.general_mean = CENTRED * (general.mean(0) + others.mean(0)) / 2
        self.english_mean = english.mean(0)
        first, second = unit(general - self.general_mean), unit(english - self.english_mean)
        kept = np.linalg.svd(second, full_matrices=False)[2][:ENGLISH_WIDTH]
        # Turned at random, since signs are to say much alone (`SignRows`), and the first would say nearly all.
        turn = np.linalg.qr(np.random.default_rng(SEED).standard_normal((ENGLISH_WIDTH, ENGLISH_WIDTH)))[0]
        self.english = turn @ kept
        spread = first.T @ first
        damped = spread + RIDGE * np.trace(spread) / WIDTH * np.eye(WIDTH)
        self.guess = np.linalg.solve(damped, first.T @ unit(second @ self.english.T)).T
        english_length = np.sqrt(1 - GENERAL)
        # Of both sides where both were read; of a guess; and of what makes up for it in a passage. So all passages are of one length, and
        # a question in another language compares its first side with all alike.
        self.lengths = np.array([np.sqrt(GENERAL), english_length, english_length * GUESSED, english_length * np.sqrt(1 - GUESSED**2)])

    def of(self, general: Matrix, english: Matrix | None = None, is_query: bool = False) -> Matrix:
        own, read, guessed, rest = self.lengths
        first = unit(general - self.general_mean)
        second = guessed * unit(first @ self.guess.T) if english is None else read * unit(unit(english - self.english_mean) @ self.english.T)
        last = np.full((len(first), 1), 0 if is_query or english is not None else rest)
        return unit(np.concatenate([own * first, second, last], 1))


def graph(space: Space) -> onnx.ModelProto:
    """Vectors of English texts by both encoders to joint ones. What the product reads are its constants."""
    parts = {"general_mean": space.general_mean, "english_mean": space.english_mean, "guess": space.guess,
             "english": space.english, "lengths": space.lengths}
    constants = [numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name) for name, value in parts.items()]
    constants += [numpy_helper.from_array(np.array([at], np.int64), f"place_{at}") for at in range(2)]
    constants += [numpy_helper.from_array(np.array([0, 0, 0, 1], np.int64), "behind")]

    def node(kind: str, inputs: list[str], output: str, **attributes) -> onnx.NodeProto:
        return helper.make_node(kind, inputs, [output], **attributes)

    nodes = [node("Sub", [f"{side}_vectors", f"{side}_mean"], f"{side}_moved") for side in ("general", "english")]
    nodes += [node("LpNormalization", [f"{side}_moved"], f"{side}_unit", axis=1, p=2) for side in ("general", "english")]
    nodes += [node("Transpose", ["english"], "english_turned", perm=[1, 0]),
              node("MatMul", ["english_unit", "english_turned"], "english_part"),
              node("LpNormalization", ["english_part"], "english_side", axis=1, p=2)]
    for at, side in enumerate(("general_unit", "english_side")):
        nodes += [node("Gather", ["lengths", f"place_{at}"], f"length_{at}"), node("Mul", [side, f"length_{at}"], f"side_{at}")]
    nodes += [node("Concat", ["side_0", "side_1"], "both", axis=1), node("Pad", ["both", "behind"], "padded"),
              node("LpNormalization", ["padded"], "sentence_embedding", axis=1, p=2)]
    given = [helper.make_tensor_value_info(f"{side}_vectors", TensorProto.FLOAT, ["texts", WIDTH]) for side in ("general", "english")]
    out = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["texts", WIDTH + ENGLISH_WIDTH + 1])
    model = helper.make_model(helper.make_graph(nodes, "joint-space", given, [out], constants),
                              opset_imports=[helper.make_opsetid("", 17)], producer_name="carrel")
    model.ir_version = 8
    return model


def rows(path: Path) -> Matrix:
    return np.fromfile(path, np.float32).reshape(-1, WIDTH).astype(np.float64)


def main(vectors: Path) -> None:
    space = Space(*(rows(vectors / f"{name}.f32") for name in ("general", "english", "others")))
    folder = HERE.parents[2] / "models" / NAME
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    onnx.save(graph(space), str(folder / "onnx" / "model.onnx"))
    general = json.loads((folder.parent / "multilingual-e5-small" / "carrel.json").read_text(encoding="utf8"))
    own = {**general, "dimensions": WIDTH + ENGLISH_WIDTH + 1, "parts": {"general": "multilingual-e5-small", "english": "all-MiniLM-L6-v2"},
           # Cosines of questions with passages that do not answer them.
           "cosines": {"mean": 0.25, "deviation": 0.06}, "fastShare": 0.2}
    (folder / "carrel.json").write_text(json.dumps(own, indent=2) + "\n", encoding="utf8")
    shutil.copyfile(HERE / "card.md", folder / "README.md")
    enter(folder, revision=REVISION, licence="MIT AND Apache-2.0")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
