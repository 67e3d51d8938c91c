"""Puts a trained entity model into models/, its table of pieces in half precision, with its card, and enters it into the manifest.

usage: publish.py TRAINED_FOLDER models/NAME REVISION
"""
import shutil, sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "embedding"))
from manifest import enter  # noqa: E402

TABLE = "tokens.weight"


def halve(file: Path) -> None:
    """The table is three quarters of the file. Its rows become floats again when they are read."""
    model = onnx.load(file)
    for each in model.graph.initializer:
        if each.name == TABLE:
            each.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(each).astype(np.float16), TABLE))
    at, gather = next((at, node) for at, node in enumerate(model.graph.node) if TABLE in node.input)
    rows = gather.output[0]
    gather.output[0] = f"{rows}_half"
    model.graph.node.insert(at + 1, helper.make_node("Cast", [gather.output[0]], [rows], to=TensorProto.FLOAT))
    onnx.save(model, file)


trained, target, revision = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
shutil.rmtree(target, ignore_errors=True)
shutil.copytree(trained, target)
halve(target / "onnx" / "model.onnx")
shutil.copy(HERE / "card.md", target / "README.md")
shutil.copy(HERE.parent / "embedding" / "wordnet-notice.txt", target / "WORDNET-NOTICE")
enter(target, revision, "Apache-2.0", "entities")
size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
print(f"{target}: {size / 1e6:.1f} MB")
assert size <= 12e6
