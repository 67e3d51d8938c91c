"""Subwords of the entity model: how text becomes tokens in training; `tokenizer_json` says the same to the product.

Atoms are runs of letters, runs of digits, single signs and newlines; src/backends/entity-worker.ts cuts in the same way.
Digits are all read as 0: their number matters, their value does not. Letters are read small; case and class of a word
go into token_type_ids, as case + 6 * class, so that `anna` and `Anna` share a vector.
Cases: 0 small, 1 capital first, 2 all capitals, 3 mixed, 4 no letters, 5 small in a text that has no capital at all.
Classes, by words.tsv (see gazetteer.py): 4 for a given name, 8 for a surname alone, and 1 for a common English word,
2 for a thing or place, 3 for a common word of another language, the first of these that holds.
"""
import collections, re

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "\u23ce"]
# Scripts whose names have no edges in white space: each character is an atom.
SINGLE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963"
ATOM = re.compile(f"\n|[{SINGLE}]|(?:(?![{SINGLE}])(?:[^\\W\\d_]|[{MARKS}]))+|\\d+|[^\\s]")
MAX_WORD = 100
CASES, CLASSES, SMALL, SMALL_THROUGHOUT = 6, 12, 0, 5


def classes_in(path):
    """Class of each listed word."""
    result = {}
    for line in open(path, encoding="utf-8"):
        letters, words = line.rstrip("\n").split("\t")
        name = 4 if "g" in letters else 8 if "s" in letters else 0
        kind = 1 if "c" in letters else 2 if "t" in letters else 3 if "f" in letters else 0
        result.update((word, name + kind) for word in words.split(" "))
    return result


def atoms(text):
    return [(m.start(), m.end(), m.group()) for m in ATOM.finditer(text)]


def classes_of(spans, words):
    """Class of each atom."""
    return [words.get(word.lower(), 0) for _, _, word in spans]


def plain(text):
    """As src/redaction/normal.ts gives text to the model."""
    text = re.sub("[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]", "", text)
    text = re.sub("[\uff01-\uff5e]", lambda m: chr(ord(m.group()) - 0xFEE0), text)
    return re.sub("[\u00a0\u2000-\u200a\u202f\u205f\u3000]", " ", text)


def normal(atom):
    return "\u23ce" if atom == "\n" else re.sub(r"\d", "0", atom).lower()


def case_of(atom):
    letters = [c for c in atom if c.isalpha()]
    if not letters:
        return 4
    if not any(c.isupper() for c in letters):
        return 0
    if all(not c.islower() for c in letters) and len(letters) > 1:
        return 2
    return 1 if letters[0].isupper() and not any(c.isupper() for c in letters[1:]) else 3


def learn(counts, merges):
    """Byte-pair merges over word counts; every piece that ever came about is in the vocabulary."""
    words = [([w[0]] + ["##" + c for c in w[1:]], n) for w, n in counts.items()]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    pieces = set()
    for index, (parts, n) in enumerate(words):
        pieces.update(parts)
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            where[pair].add(index)
    import heapq
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    done = 0
    while heap and done < merges:
        negative, pair = heapq.heappop(heap)
        if pairs.get(pair, 0) != -negative:
            if pairs.get(pair, 0) > 1:
                heapq.heappush(heap, (-pairs[pair], pair))
            continue
        if -negative < 2:
            break
        merged = pair[0] + pair[1].removeprefix("##")
        pieces.add(merged)
        done += 1
        changed = set()
        for index in list(where.pop(pair)):
            parts, n = words[index]
            for old in zip(parts, parts[1:]):
                pairs[old] -= n
            fresh, i = [], 0
            while i < len(parts):
                if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
                    fresh.append(merged)
                    i += 2
                else:
                    fresh.append(parts[i])
                    i += 1
            words[index] = (fresh, n)
            for new in zip(fresh, fresh[1:]):
                pairs[new] += n
                where[new].add(index)
                changed.add(new)
        pairs.pop(pair, None)
        for new in changed:
            heapq.heappush(heap, (-pairs[new], new))
    return pieces


class WordPieces:
    def __init__(self, pieces):
        self.vocabulary = {piece: i for i, piece in enumerate(SPECIAL + sorted(set(pieces) - set(SPECIAL)))}
        self.known = {}

    def encode(self, word):
        """Greedy longest match, the first piece bare, the others with ##; [UNK] where any part is unknown."""
        if word in self.known:
            return self.known[word]
        ids, start = [], 0
        while start < len(word) and ids is not None:
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.vocabulary:
                    ids.append(self.vocabulary[piece])
                    start = end
                    break
            else:
                ids = None
        ids = ids if ids and len(word) <= MAX_WORD else [self.vocabulary["[UNK]"]]
        self.known[word] = ids
        return ids

    def tokenizer_json(self):
        special = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                   for i, t in enumerate(SPECIAL[:4])]
        return {
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Replace", "pattern": {"Regex": "[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u0e50-\u0e59]"}, "content": "0"},
                {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": True}]},
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": {"type": "TemplateProcessing",
                               "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
                               "pair": [], "special_tokens": {t: {"id": t, "ids": [i], "tokens": [t]} for i, t in enumerate(SPECIAL[:4])}},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": MAX_WORD, "vocab": self.vocabulary},
        }
