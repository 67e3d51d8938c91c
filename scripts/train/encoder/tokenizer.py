"""Writes the trimmed tokenizer as loaders expect XLM-RoBERTa's: pieces and their scores, numbered anew from 0."""

import base64
import json
import tempfile
from pathlib import Path

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from vocabulary import SPACE, SPECIAL
from weights import Packed

# Decimals of a score. Two ways to split a word differ by more, or are as good as each other.
DIGITS = 4


def write(folder: Path, packed: Packed, ids: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [[packed.pieces[id], round(float(packed.scores[id]), DIGITS)] for id in ids]
    special = [piece for piece, _ in vocabulary[:SPECIAL]]
    begin, end = ({"SpecialToken": {"id": piece, "type_id": 0}} for piece in ("<s>", "</s>"))
    first, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    space = {"type": "Metaspace", "replacement": SPACE, "add_prefix_space": True, "prepend_scheme": "always"}
    content = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": id, "content": piece, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for id, piece in enumerate(special)],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": _normalization()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]},
        "post_processor": {
            "type": "TemplateProcessing", "single": [begin, first, end], "pair": [begin, first, end, end, second, end],
            "special_tokens": {piece: {"id": piece, "ids": [special.index(piece)], "tokens": [piece]}
                               for piece in ("<s>", "</s>")}},
        "decoder": space,
        "model": {"type": "Unigram", "unk_id": special.index("<unk>"), "vocab": vocabulary, "byte_fallback": False},
    }
    _dump(folder / "tokenizer.json", content)
    _dump(folder / "tokenizer_config.json", {
        "tokenizer_class": "XLMRobertaTokenizer", "model_max_length": packed.positions,
        "bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>",
        "unk_token": "<unk>", "clean_up_tokenization_spaces": True})


def _dump(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf8")


def _normalization() -> str:
    """The table by which XLM-RoBERTa normalizes, `nmt_nfkc`: sentencepiece holds it, and writes it into each model."""
    with tempfile.TemporaryDirectory() as scratch:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([str(number) for number in range(100)]), model_prefix=f"{scratch}/any",
            vocab_size=40, hard_vocab_limit=False, normalization_rule_name="nmt_nfkc", minloglevel=2)
        model = sentencepiece_model_pb2.ModelProto.FromString(Path(scratch, "any.model").read_bytes())
    return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
