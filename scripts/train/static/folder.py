"""Writes the model folder: `folder.py VECTORS.npy VOCABULARY OUT`, with the carrel.json beside this file.

Rows are 4 bits a value with a scale each. The graph adds them up for whoever loads the folder with transformers.js; the
product reads the table out of it and adds by itself (src/backends/static-model.ts).
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = "model_quantized.onnx"
# Longer input is cut. A sum over more tokens than this says little about any of them.
MAX_TOKENS = 4096
SPECIAL = 4
BEGIN, PAD = 0, 1
# A value of 0..15 stands for -8..7 scales.
MIDDLE = 8
# Shares of the largest value that a row's scale may be fitted to: cutting one outlier serves all other values.
CUTS = (0.7, 0.8, 0.9, 1.0)


def quantize(vectors: np.ndarray, blank: int) -> tuple[np.ndarray, np.ndarray]:
    """(levels 0..15, one scale per row). Special tokens and the lone space `blank` are zero, except a tiny first one: an empty text, which is that
    token alone, must come out as a unit vector and not as NaN."""
    rows = vectors.astype(np.float32) / np.abs(vectors).max()
    rows[[*range(SPECIAL), blank]] = 0
    rows[BEGIN] = 1e-6 * np.sign(np.random.default_rng(7).standard_normal(rows.shape[1]))
    largest = np.abs(rows).max(1, keepdims=True)
    best_error, levels, scales = np.full(len(rows), np.inf), np.zeros(rows.shape, np.int8), np.ones((len(rows), 1))
    for cut in CUTS:
        scale = np.where(largest == 0, 1, largest * cut / (MIDDLE - 1))
        found = np.clip(np.round(rows / scale), -MIDDLE, MIDDLE - 1)
        error = ((found * scale - rows) ** 2).sum(1)
        better = error < best_error
        best_error[better], levels[better], scales[better] = error[better], found[better], scale[better]
    return (levels + MIDDLE).astype(np.uint8), scales.astype(np.float32)


def dequantized(folder: Path) -> np.ndarray:
    """The rows as the graph of a written folder multiplies them."""
    model = onnx.load(str(folder / "onnx" / WEIGHTS))
    arrays = {array.name: numpy_helper.to_array(array) for array in model.graph.initializer}
    packed = arrays["table"]
    levels = np.concatenate([packed & 15, packed >> 4], 1).astype(np.float32) - MIDDLE
    return levels * arrays["scale"]


def _graph(levels: np.ndarray, scale: np.ndarray) -> onnx.ModelProto:
    """last_hidden_state[batch, 1, dimensions] = sum over tokens of mask * scale * row: pooling "cls" takes it whole.
    A byte of the table holds two values of a row: the low half that of dimension d, the high one of d + dimensions / 2."""
    half = levels.shape[1] // 2
    packed = levels[:, :half] | (levels[:, half:] << 4)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["bytes"], axis=0),
        helper.make_node("Cast", ["bytes"], ["pairs"], to=TensorProto.INT32),
        helper.make_node("Mod", ["pairs", "sixteen"], ["low"]),
        helper.make_node("Div", ["pairs", "sixteen"], ["high"]),
        helper.make_node("Concat", ["low", "high"], ["levels"], axis=2),
        helper.make_node("Cast", ["levels"], ["plain"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["plain", "middle"], ["values"]),
        helper.make_node("Gather", ["scale", "input_ids"], ["scales"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last_axis"], ["mask_column"]),
        helper.make_node("Mul", ["scales", "mask_column"], ["weights"]),
        helper.make_node("Transpose", ["weights"], ["weights_row"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["weights_row", "values"], ["last_hidden_state"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", 1, levels.shape[1]])
    constants = {"table": packed, "scale": scale, "last_axis": np.array([2], np.int64),
                 "sixteen": np.array(16, np.int32), "middle": np.array(MIDDLE, np.float32)}
    graph = helper.make_graph(nodes, "token-sum", inputs, [output],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="carrel")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def _configs(size: int, dimensions: int, own: dict) -> dict[str, dict | list]:
    return {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "hidden_size": dimensions, "num_hidden_layers": 0,
            "num_attention_heads": 1, "intermediate_size": dimensions, "vocab_size": size,
            "max_position_embeddings": MAX_TOKENS, "pad_token_id": PAD, "type_vocab_size": 1, "hidden_act": "gelu"},
        "tokenizer_config.json": {
            "tokenizer_class": "XLMRobertaTokenizer", "model_max_length": MAX_TOKENS, "bos_token": "<s>",
            "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>",
            "clean_up_tokenization_spaces": True},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}],
        "1_Pooling/config.json": {
            "word_embedding_dimension": dimensions, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        "carrel.json": own,
    }


def write(folder: Path, vectors: np.ndarray, vocabulary: Path, own: dict) -> None:
    """@param own: the content of carrel.json"""
    pieces = json.loads((vocabulary / "tokenizer.json").read_text(encoding="utf8"))["model"]["vocab"]
    levels, scale = quantize(vectors, [piece for piece, _ in pieces].index("▁"))
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    onnx.save(_graph(levels, scale), str(folder / "onnx" / WEIGHTS))
    (folder / "tokenizer.json").write_bytes((vocabulary / "tokenizer.json").read_bytes())
    for name, content in _configs(*vectors.shape, own).items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")


if __name__ == "__main__":
    carrel = json.loads(Path(__file__).with_name("carrel.json").read_text(encoding="utf8"))
    write(Path(sys.argv[3]), np.load(sys.argv[1]), Path(sys.argv[2]), carrel)
