"""Makes src/redaction/lexicon/common-words.txt: English words that are usually written small.

usage: words.py OUT FILE.jsonl.zst...      (each line a JSON list of strings)
A word counts as common where most of its uses inside sentences are lower case, so that surnames and brands stay out.
"""
import collections, json, re, subprocess, sys

out, files = sys.argv[1], sys.argv[2:]
small, capital = collections.Counter(), collections.Counter()
for name in files:
    with subprocess.Popen(["zstdcat", name], stdout=subprocess.PIPE, text=True, encoding="utf-8") as pipe:
        for number, line in enumerate(pipe.stdout):
            if number > 60000:
                break
            for text in json.loads(line):
                for sentence in re.split(r"[.!?:;\n]\s+", text if isinstance(text, str) else ""):
                    for word in re.findall(r"(?<![\w'’.-])[A-Za-z][a-z'’]+(?![\w.-]\w)", sentence)[1:]:
                        (small if word[0].islower() else capital)[word.lower().replace("’", "'")] += 1
words = [w for w, n in small.most_common() if n >= 6 and n > 0.55 * (n + capital[w]) and len(w) < 20]
always = "i a an the this that these those it its he she they we you his her their our your my me him them us is are was were be been am do does did has have had will would shall should can could may might must not no yes ok okay please thanks thank hello hi hey dear sir madam if when where what who whom whose which why how and or but so because although though while until since after before during monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december i'm i'd i've i'll it's don't can't won't isn't aren't wasn't doesn't didn't couldn't wouldn't shouldn't you're they're we're that's there's here's what's who's let's he's she's we'll you'll they'll we've you've they've bot user customer client agent email phone fax card credit debit bank account iban ssn pin atm url http https www api pdf csv json html css sql id ids usa uk eu ceo cto pm am tv dvd cd pc app apps online offline blog website internet".split()
words = sorted(set(words[:22000]) | set(always))
open(out, "w").write("\n".join(words) + "\n")
print(len(words), "words")
