"""Measures vectors on what encode.py held out: `evaluate.py VOCABULARY DEV.json VECTORS.npy … [--english-model FOLDER]`.

MRR@10 of finding the passage of an English query among all held-out passages (the mean over the sources), and the text
in the other language among the held-out texts of its source in that language, both ways.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
from export import dequantized  # noqa: E402
from folder import quantize  # noqa: E402
from wordpiece import CLS, WordPiece  # noqa: E402

LANGUAGES = {"de": ("de", "deu"), "es": ("es", "spa"), "fr": ("fr", "fra"), "zh": ("zh", "cmn"), "ar": ("ar", "ara"),
             "ru": ("ru", "rus"), "ja": ("ja", "jpn"), "ko": ("ko", "kor"), "hi": ("hi", "hin"), "tr": ("tr", "tur")}
SOURCES = ("tatoeba", "home-assistant-core", "react-docs", "bibles")
MOST = 400


def reciprocal(queries: np.ndarray, passages: np.ndarray) -> np.ndarray:
    """1 / rank of each query's own passage, 0 beyond the tenth."""
    scores = queries @ passages.T
    own = scores[np.arange(len(queries)), np.arange(len(queries))]
    rank = 1 + (scores > own[:, None]).sum(1)
    return np.where(rank <= 10, 1 / rank, 0)


class Static:
    def __init__(self, vocabulary: Path, vectors: np.ndarray):
        self.tokenizer = Tokenizer.from_file(str(vocabulary / "tokenizer.json"))
        levels, scale = quantize(vectors, self.tokenizer.token_to_id("▁"))
        self.rows = (levels.astype(np.float32) - 8) * scale

    def embed(self, texts: list[str]) -> np.ndarray:
        found = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        sums = np.stack([self.rows[text.ids].sum(0) for text in found])
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)


class English:
    def __init__(self, folder: Path):
        vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf8"))["model"]["vocab"]
        self.tokenizer, self.rows = WordPiece(sorted(vocabulary, key=vocabulary.get)), dequantized(folder)

    def embed(self, texts: list[str]) -> np.ndarray:
        sums = np.stack([self.rows[[CLS, *self.tokenizer.encode(text)]].sum(0) for text in texts])
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def measure(model: Static | English, dev: dict) -> dict[str, float]:
    rows = [(source, query, passage) for source, found in dev["english"].items() for query, passage in found[:60]]
    each = reciprocal(model.embed([query for _, query, _ in rows]), model.embed([passage for *_, passage in rows]))
    by_source: defaultdict[str, list[float]] = defaultdict(list)
    for (source, *_), value in zip(rows, each):
        by_source[source].append(value)
    figures = {"English": float(np.mean([np.mean(values) for values in by_source.values()]))}
    for language, names in LANGUAGES.items():
        for source in SOURCES:
            pairs = [(record["en"], record[name]) for record in dev["parallel"][source]
                     for name in names if name in record][:MOST]
            if len(pairs) >= 30:
                left, right = (model.embed(list(side)) for side in zip(*pairs))
                figures[f"{language} {source[:4]}"] = float((reciprocal(left, right) + reciprocal(right, left)).mean() / 2)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("vectors", type=Path, nargs="+")
    parser.add_argument("--english-model", type=Path)
    options = parser.parse_args()
    dev = json.loads(options.dev.read_text(encoding="utf8"))
    columns = {path.stem: measure(Static(options.vocabulary, np.load(path)), dev) for path in options.vectors}
    if options.english_model:
        columns["English model"] = measure(English(options.english_model), dev)
    print("\t".join(["", *columns]))
    for name in next(iter(columns.values())):
        print("\t".join([name, *(f"{column[name]:.3f}" for column in columns.values())]))
    for source in SOURCES:
        rows = [name for name in next(iter(columns.values())) if name.endswith(source[:4])]
        print("\t".join([f"mean {source}", *(f"{np.mean([c[name] for name in rows]):.3f}" for c in columns.values())]))


if __name__ == "__main__":
    main()
