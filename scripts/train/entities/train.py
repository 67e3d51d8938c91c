"""Trains the built-in entity model and writes it as a model folder.

usage: [START=WEIGHTS.pt] train.py OUT_FOLDER MINUTES WORDS.tsv HELD_OUT.jsonl SENTENCES.jsonl...

The weights are kept beside the folder, as OUT_FOLDER.pt; with START, training goes on from them, with their vocabulary.

A stack of dilated convolutions over subwords: 11 tokens of context on each side, which fits the windows that the product
asks about (src/redaction/clusters.ts). MINUTES are of processor time. Single seed; not bit-reproducible across machines.
"""
import collections, json, os, random, shutil, sys, time
import numpy as np, torch
from torch import nn
from batching import grouped
from wordpieces import CASES, CLASSES, SMALL, SMALL_THROUGHOUT, SPECIAL, WordPieces, atoms, case_of, classes_in, classes_of, learn, normal, plain

out, minutes, words_file, held_out_file, sentence_files = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]
LABELS = ["O", "B-NAME", "I-NAME", "B-ADDRESS", "I-ADDRESS"]
DIM, HIDDEN, MERGES, DILATIONS = 80, 104, 10000, [1, 2, 4, 1, 2]
# The most frequent words, of which pieces are learned.
WORDS = 60000
rng = random.Random(7)
torch.manual_seed(7)
# One thread: on cores that others use too, more threads wait for each other most of the time (6 times slower).
torch.set_num_threads(1)


def read(path):
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        # Spans count UTF-16 units; texts with characters beyond the first plane are left out.
        if all(ord(c) < 0x10000 for c in record["text"]) and len(plain(record["text"])) == len(record["text"]):
            yield {**record, "text": plain(record["text"])}


def labelled(record):
    """(word, case, class, label) per atom; a label is B where its span begins."""
    result, spans, at = [], sorted(record["spans"]), 0
    found = atoms(record["text"])
    for (start, end, word), known in zip(found, classes_of(found, class_of)):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        label = 0
        if at < len(spans) and spans[at][0] < end and start < spans[at][1]:
            label = LABELS.index(("B-" if start <= spans[at][0] else "I-") + spans[at][2])
        result.append((normal(word), case_of(word), known, label))
    return result


print("reading", flush=True)
class_of = classes_in(words_file)
examples = [labelled(r) for path in sentence_files for r in read(path)]
counts = collections.Counter(w for e in examples for w, _, _, _ in e)
start = torch.load(os.environ["START"]) if "START" in os.environ else None
# Rare words teach the pieces that unseen names are made of, so frequent ones do not drown them.
pieces = set(start[1]) if start else learn({w: int(n ** 0.6) + 1 for w, n in counts.most_common(WORDS) if w not in SPECIAL}, MERGES)
words = WordPieces(pieces | {"0" * n for n in range(1, 8)} | {"##" + "0" * n for n in range(1, 8)} | {chr(c) for c in range(33, 127)})
CLS, SEP, UNK = (SPECIAL.index(t) for t in ("[CLS]", "[SEP]", "[UNK]"))
print(len(examples), "examples,", len(words.vocabulary), "pieces", flush=True)


def encode(example, augment):
    if augment and rng.random() < 0.4 and len(example) > 12:
        # The product shows windows: text may begin and end anywhere.
        start = rng.randrange(0, len(example) // 2)
        example = example[start: rng.randrange(start + 6, len(example) + 1)]
    ids, types, labels = [CLS], [4], [-100]
    throughout = not any(case in (1, 2, 3) for _, case, _, _ in example)
    # Words that no list holds: the model must do without.
    forgetful = 0.5 if augment and rng.random() < 0.3 else 0
    for word, case, known, label in example[:90]:
        if case == SMALL and throughout:
            case = SMALL_THROUGHOUT
        kind = case + CASES * (0 if forgetful and rng.random() < forgetful else known)
        parts = words.encode(word)
        if augment and rng.random() < 0.03:
            parts = [UNK]
        ids += parts
        types += [kind] * len(parts)
        labels += [label] + [-100] * (len(parts) - 1)
    return ids + [SEP], types + [4], labels + [-100]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(len(words.vocabulary), DIM)
        self.types = nn.Embedding(CASES * CLASSES, DIM)
        nn.init.normal_(self.tokens.weight, std=0.3)
        self.enter = nn.Conv1d(DIM, HIDDEN, 3, padding=1)
        self.layers = nn.ModuleList(nn.Conv1d(HIDDEN, HIDDEN, 3, padding=d, dilation=d) for d in DILATIONS)
        self.norms = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in DILATIONS)
        self.leave = nn.Linear(HIDDEN, len(LABELS))
        self.drop = nn.Dropout(0.15)

    def forward(self, input_ids, attention_mask, token_type_ids):
        # Masked after each layer: padding never reaches a neighbour, so a text scores the same alone and in a batch.
        mask = attention_mask.unsqueeze(1).to(torch.float32)
        x = (self.tokens(input_ids) + self.types(token_type_ids)).transpose(1, 2)
        x = torch.relu(self.enter(self.drop(x) * mask)) * mask
        for layer, norm in zip(self.layers, self.norms):
            x = (x + torch.relu(norm(layer(x)))) * mask
        return self.leave(self.drop(x).transpose(1, 2))


def batches(examples, augment, size=3000):
    for group in grouped([encode(e, augment) for e in examples], size, rng):
        width = max(len(e[0]) for e in group)
        pad = lambda row, value: row + [value] * (width - len(row))
        ids = torch.tensor([pad(e[0], 0) for e in group])
        yield ids, torch.tensor([pad([1] * len(e[0]), 0) for e in group]), torch.tensor([pad(e[1], 4) for e in group]), torch.tensor([pad(e[2], -100) for e in group])


model = Tagger()
if start:
    model.load_state_dict(start[0])
peak = 1.2e-3 if start else 2.5e-3
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
weights = torch.tensor([1.0, 1.5, 1.4, 1.6, 1.4])
began, step, share = time.process_time(), 0, 0.0
while share < 1:
    rng.shuffle(examples)
    for at in range(0, len(examples), 8000):
        for ids, mask, cases, labels in batches(examples[at:at + 8000], True):
            share = (time.process_time() - began) / (60 * minutes)
            if share >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = peak * min(1, step / 200 + 0.05) * max(0.02, 1 - share)
            logits = model(ids, mask, cases)
            loss = nn.functional.cross_entropy(logits.reshape(-1, len(LABELS)), labels.reshape(-1), weight=weights, ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 100 == 0:
                print(f"step {step} {share:.0%} loss {loss.item():.4f}", flush=True)
            # What is learned so far survives the end of the process.
            if step % 1000 == 0:
                torch.save((model.state_dict(), words.vocabulary), f"{out.rstrip('/')}.pt")
        if share >= 1:
            break

model.eval()
os.makedirs(f"{out}/onnx", exist_ok=True)
ids, mask, cases, _ = next(batches(examples[:64], False))
torch.onnx.export(model, (ids, mask, cases), f"{out}/onnx/model.onnx", opset_version=14,
                  input_names=["input_ids", "attention_mask", "token_type_ids"], output_names=["logits"],
                  dynamic_axes={name: {0: "batch", 1: "tokens"} for name in ["input_ids", "attention_mask", "token_type_ids", "logits"]})
shutil.copy(words_file, f"{out}/words.tsv")
json.dump(words.tokenizer_json(), open(f"{out}/tokenizer.json", "w"), ensure_ascii=False)
json.dump({"tokenizer_class": "BertTokenizer", "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
           "do_lower_case": True, "strip_accents": False, "model_max_length": 512}, open(f"{out}/tokenizer_config.json", "w"), indent=1)
json.dump({"model_type": "bert", "architectures": ["BertForTokenClassification"], "vocab_size": len(words.vocabulary),
           "hidden_size": HIDDEN, "num_hidden_layers": len(DILATIONS), "max_position_embeddings": 512,
           "id2label": {str(i): l for i, l in enumerate(LABELS)}, "label2id": {l: i for i, l in enumerate(LABELS)},
           # Read by src/backends/entity-worker.ts: case and class of a word go into token_type_ids, newlines are tokens.
           "carrel": {"case_in_token_types": True, "newline_token": "\u23ce", "words": "words.tsv"}}, open(f"{out}/config.json", "w"), indent=1)
print("steps", step, "size", sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(out) for f in fs))
torch.save((model.state_dict(), words.vocabulary), f"{out.rstrip('/')}.pt")

right, wrong, missed = collections.Counter(), collections.Counter(), collections.Counter()
held_out = [labelled(r) for r in read(held_out_file)]
with torch.no_grad():
    for ids, mask, cases, labels in batches(held_out, False):
        guess = model(ids, mask, cases).argmax(-1)
        for g, l in zip(guess[labels >= 0].tolist(), labels[labels >= 0].tolist()):
            g, l = LABELS[g][2:], LABELS[l][2:]
            if g == l and g: right[g] += 1
            else:
                if g: wrong[g] += 1
                if l: missed[l] += 1
for kind in ("NAME", "ADDRESS"):
    print(kind, "tokens: precision %.3f recall %.3f" % (right[kind] / max(1, right[kind] + wrong[kind]), right[kind] / max(1, right[kind] + missed[kind])))
