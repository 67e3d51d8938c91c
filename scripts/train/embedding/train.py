"""Text pairs in, model folder out. `python3 train.py --help`; the steps are described in README.md."""

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import card
import export
import manifest
import pairs
import vocabulary as vocabularies
from contrastive import Batches, Settings, train
from encoded import encode_all
from mixture import THESAURUS, groups_of
from start import start_vectors
from wordpiece import CLS, WordPiece

DEFAULTS = Settings()
VOCABULARY_SIZE = 30_000
DIMENSIONS = 256
PARITY_TEXTS = 200
# Beside texts of the training: what tokenizers disagree about.
ODD_TEXTS = ["", " ", "\n\t", "Éléphant naïve Straße ŁÓDŹ", "Привет мир", "中文字符 mixed", "a" * 150, "x\u0000y\u200bz",
             "don't e-mail me@example.com, £5.00 (50%)!", "🙂 emoji", "ﬁne ligature", "İstanbul"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of <source>.jsonl.zst and SOURCES.tsv")
    parser.add_argument("--out", type=Path, required=True, help="model folder to write")
    parser.add_argument("--work", type=Path, required=True, help="scratch folder; finished steps in it are reused")
    parser.add_argument("--collections", type=Path, required=True, help="folder of test collections (BEIR layout)")
    parser.add_argument("--revision", required=True, help="version of the model, for the manifest")
    parser.add_argument("--bun", default="bun", help="the program that runs the product's TypeScript")
    parser.add_argument("--fusion-weight", type=float, default=0.3, help="share of the vector leg, 0..1")
    parser.add_argument("--vectors", type=Path, help="trained vectors (.npy) of an earlier run, to only publish them")
    for field in dataclasses.fields(Settings):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=getattr(DEFAULTS, field.name))
    return parser.parse_args()


def load_vocabulary(options: argparse.Namespace) -> list[str]:
    path = options.work / "vocabulary.txt"
    if not path.exists():
        pieces = vocabularies.build(options.data, VOCABULARY_SIZE, options.work, options.threads)
        path.write_text("\n".join(pieces) + "\n", encoding="utf8")
    return path.read_text(encoding="utf8").removesuffix("\n").split("\n")


def check_parity(options: argparse.Namespace, folder: Path, vocabulary: list[str]) -> None:
    """Compares the product's vectors with sums of the quantized rows, computed here."""
    tokenizer = WordPiece(vocabulary)
    sources = pairs.sources(options.data)
    per_source = PARITY_TEXTS // len(sources) + 1
    texts = ODD_TEXTS + [text for source in sources
                         for text, _ in zip((passage for _, passage in pairs.read(options.data, source)),
                                            range(per_source))]
    rows = export.dequantized(folder)
    vectors = np.stack([rows[[CLS, *tokenizer.encode(text)]].sum(0) for text in texts])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    reference = options.work / "parity.json"
    reference.write_text(json.dumps({"texts": texts, "vectors": vectors.round(7).tolist()}), encoding="utf8")
    run(options, "parity.ts", folder, reference)


def run(options: argparse.Namespace, script: str, *paths: Path) -> None:
    command = [options.bun, str(Path(__file__).with_name(script)), *map(str, paths)]
    if subprocess.run(command).returncode != 0:
        raise SystemExit(f"{script} refused the model; {options.out} is unchanged")


def publish(options: argparse.Namespace, candidate: Path, figures: Path) -> None:
    card.write(candidate, options.data, figures)
    shutil.rmtree(options.out, ignore_errors=True)
    shutil.copytree(candidate, options.out)
    manifest.enter(options.out, options.revision, card.LICENCE)


def train_vectors(options: argparse.Namespace, vocabulary: list[str]) -> np.ndarray:
    settings = Settings(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Settings)})
    groups = groups_of(pairs.sources(options.data))
    wanted = {(source, group.form) for group in groups.values() for source in group.sources}
    sources = encode_all(options.data, wanted, vocabulary, options.work, options.threads)
    start_file = options.work / "start.npy"
    if not start_file.exists():
        plain = {source: texts for (source, form), texts in sources.items()
                 if form == "pair" and source != THESAURUS}
        np.save(start_file, start_vectors(plain, len(vocabulary), DIMENSIONS, seed=0))
    vectors = train(Batches(groups, sources, len(vocabulary), settings), np.load(start_file), settings)
    np.save(options.work / "vectors.npy", vectors)
    return vectors


def main() -> None:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    vocabulary = load_vocabulary(options)
    vectors = np.load(options.vectors) if options.vectors else train_vectors(options, vocabulary)
    candidate = options.work / "candidate" / options.out.name
    export.write(candidate, vectors, vocabulary, options.fusion_weight)
    check_parity(options, candidate, vocabulary)
    figures = options.work / "figures.json"
    run(options, "gate.ts", candidate, options.collections, figures)
    publish(options, candidate, figures)
    print("wrote", options.out)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
