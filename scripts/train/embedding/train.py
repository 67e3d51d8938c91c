"""Text pairs in, model folder out. `python3 train.py --help`; the steps are described in README.md."""

import argparse
import dataclasses
import sys
from pathlib import Path

import numpy as np

import export
import pairs
import vocabulary as vocabularies
from contrastive import Batches, Settings, train
from encoded import encode_all
from mixture import THESAURUS, groups_of
from start import start_vectors

DEFAULTS = Settings()
VOCABULARY_SIZE = 30_000
DIMENSIONS = 256


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of <source>.jsonl.zst and SOURCES.tsv")
    parser.add_argument("--out", type=Path, required=True, help="model folder to write")
    parser.add_argument("--work", type=Path, required=True, help="scratch folder; finished steps in it are reused")
    parser.add_argument("--gate", type=Path, nargs="*", default=[], help="test collections (BEIR layout) to pass")
    parser.add_argument("--fusion-weight", type=float, default=0.35, help="share of the vector leg, 0..1")
    for field in dataclasses.fields(Settings):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=getattr(DEFAULTS, field.name))
    return parser.parse_args()


def load_vocabulary(options: argparse.Namespace) -> list[str]:
    path = options.work / "vocabulary.txt"
    if not path.exists():
        pieces = vocabularies.build(options.data, VOCABULARY_SIZE, options.work, options.threads)
        path.write_text("\n".join(pieces) + "\n", encoding="utf8")
    return path.read_text(encoding="utf8").removesuffix("\n").split("\n")


def main() -> None:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    settings = Settings(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Settings)})
    vocabulary = load_vocabulary(options)
    groups = groups_of(pairs.sources(options.data))
    wanted = {(source, group.form) for group in groups.values() for source in group.sources}
    sources = encode_all(options.data, wanted, vocabulary, options.work, options.threads)
    start_file = options.work / "start.npy"
    if not start_file.exists():
        plain = {source: texts for (source, form), texts in sources.items()
                 if form == "pair" and source != THESAURUS}
        np.save(start_file, start_vectors(plain, len(vocabulary), DIMENSIONS, seed=0))
    vectors = train(Batches(groups, sources, len(vocabulary), settings), np.load(start_file), settings)
    export.write(options.out, vectors, vocabulary, options.fusion_weight)
    print("wrote", options.out)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
