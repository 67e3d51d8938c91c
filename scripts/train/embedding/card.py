"""Writes what people must know about the model into its folder: README.md (the model card) and ATTRIBUTIONS."""

import csv
import json
from pathlib import Path

LICENCE = "Apache-2.0"
HERE = Path(__file__).parent


def _sources(data: Path) -> list[dict[str, str]]:
    with open(data / "SOURCES.tsv", encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _figures(path: Path) -> str:
    def cells(measured: dict[str, float]) -> str:
        return f"{measured['ndcg']:.3f} / {measured['recall']:.3f} / {measured['mrr']:.3f}"
    rows = json.loads(path.read_text(encoding="utf8"))
    head = "| collection | keyword | this model | hybrid |\n|---|---|---|---|\n"
    return head + "\n".join(
        f"| {row['name']} | {cells(row['keyword'])} | {cells(row['vector'])} | {cells(row['hybrid'])} |" for row in rows)


def write(folder: Path, data: Path, figures: Path) -> None:
    sources = _sources(data)
    licenses: dict[str, int] = {}
    for source in sources:
        licenses[source["licence"]] = licenses.get(source["licence"], 0) + int(source["pairs"])
    by_size = sorted(licenses.items(), key=lambda entry: -entry[1])
    table = "| licence | pairs |\n|---|---|\n" + "\n".join(f"| {licence} | {pairs:,} |" for licence, pairs in by_size)
    card = (HERE / "card.md").read_text(encoding="utf8")
    size = (folder / "onnx" / "model_quantized.onnx").stat().st_size
    for key, value in {"name": folder.name, "figures": _figures(figures), "licenses": table,
                       "pairs": f"{sum(licenses.values()):,}", "sources": str(len(sources)),
                       "megabytes": f"{size / 1e6:.1f}"}.items():
        card = card.replace(f"{{{{{key}}}}}", value)
    (folder / "README.md").write_text(card, encoding="utf8")
    lines = [f"{source['name']}: {source['attribution']}\n  from {source['source']} at {source['revision']}\n"
             f"  licence: {source['licence']}\n" for source in sources]
    notice = (HERE / "wordnet-notice.txt").read_text(encoding="utf8")
    (folder / "ATTRIBUTIONS").write_text(
        "Text that the vectors of this model were computed from. None of it is contained in the model.\n"
        "All of it was changed: cut into pairs of a short text and a passage.\n\n" + "\n".join(lines) + "\n" + notice,
        encoding="utf8")
