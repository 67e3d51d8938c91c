"""Writes the model folder: an int8 table in an ONNX graph that pools, the tokenizer, and what loaders need to know."""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from wordpiece import CLS, PAD, SPECIAL

# Longer input is cut. A sum over more tokens than this says little about any of them.
MAX_TOKENS = 4096
WEIGHTS = "model_quantized.onnx"


def quantize(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int8 table, one scale per row). Special tokens are zero, except a tiny [CLS]: an empty text, which is [CLS]
    alone, must come out as a unit vector and not as NaN."""
    table = vectors.astype(np.float32) / np.abs(vectors).max()
    table[:len(SPECIAL)] = 0
    direction = np.random.default_rng(7).standard_normal(table.shape[1])
    table[CLS] = 1e-4 * direction / np.linalg.norm(direction)
    scale = np.abs(table).max(1, keepdims=True) / 127
    scale[scale == 0] = 1
    return np.round(table / scale).astype(np.int8), scale.astype(np.float32)


def dequantized(folder: Path) -> np.ndarray:
    """The rows as the graph of a written folder multiplies them."""
    model = onnx.load(str(folder / "onnx" / WEIGHTS))
    arrays = {array.name: numpy_helper.to_array(array) for array in model.graph.initializer}
    return arrays["table"] * arrays["scale"]


def _graph(table: np.ndarray, scale: np.ndarray) -> onnx.ModelProto:
    """last_hidden_state[batch, 1, dimensions] = sum over tokens of mask * scale * row: pooling "cls" takes it whole.
    Pooling outside the graph would cost five times as much as all the rest."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"], axis=0),
        helper.make_node("Cast", ["rows"], ["values"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["scale", "input_ids"], ["scales"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last_axis"], ["mask_column"]),
        helper.make_node("Mul", ["scales", "mask_column"], ["weights"]),
        helper.make_node("Transpose", ["weights"], ["weights_row"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["weights_row", "values"], ["last_hidden_state"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", 1, table.shape[1]])
    constants = {"table": table, "scale": scale, "last_axis": np.array([2], np.int64)}
    graph = helper.make_graph(nodes, "token-sum", inputs, [output],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="carrel")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def _tokenizer(vocabulary: list[str]) -> dict:
    single = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": index, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for index, token in enumerate(SPECIAL)],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": True, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing", "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [CLS], "tokens": ["[CLS]"]}}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {piece: index for index, piece in enumerate(vocabulary)}},
    }


def _configs(size: int, dimensions: int, fusion_weight: float) -> dict[str, dict | list]:
    return {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "hidden_size": dimensions, "num_hidden_layers": 0,
            "num_attention_heads": 1, "intermediate_size": dimensions, "vocab_size": size,
            "max_position_embeddings": MAX_TOKENS, "pad_token_id": PAD, "type_vocab_size": 1, "hidden_act": "gelu"},
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": MAX_TOKENS,
            "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
            "mask_token": "[MASK]", "clean_up_tokenization_spaces": True, "strip_accents": True,
            "tokenize_chinese_chars": True},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}],
        "1_Pooling/config.json": {
            "word_embedding_dimension": dimensions, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        # Cosines of questions with passages that do not answer them, over 20 libraries of other text.
        "carrel.json": {
            "fusionWeight": fusion_weight,
            "languages": ["en"],
            "cosines": {"mean": 0.03, "deviation": 0.1},
        },
    }


def write(folder: Path, vectors: np.ndarray, vocabulary: list[str], fusion_weight: float) -> None:
    table, scale = quantize(vectors)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    onnx.save(_graph(table, scale), str(folder / "onnx" / WEIGHTS))
    compact = json.dumps(_tokenizer(vocabulary), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(compact + "\n", encoding="utf8")
    for name, content in _configs(len(vocabulary), vectors.shape[1], fusion_weight).items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
