"""Running text of other languages in Latin letters, from the translations of open programs: sentences without persons,
and the words that they write small.

usage: foreign.py OUT.jsonl WORDS.txt FREQUENT.txt COMMON.txt NAMES.txt FOLDER...      (holding .mo files, or JSON files named LANGUAGE-….json)
FREQUENT.txt gets those that tell a language from English: often used, and neither in COMMON.txt nor in NAMES.txt (the
lists of src/redaction/lexicon).
"""
import collections, gettext, glob, json, random, re, sys

LANGUAGES = "pl nl es de it vi fr pt tr sv ro cs da nb fi hu id hr sk ca sl et lt lv".split()
out, words_out, frequent_out, common_file, names_file, folders = *sys.argv[1:6], sys.argv[6:]
FREQUENT = 15


def language_of(path):
    match = re.search(r"/locale/([a-z]{2})(?:_[A-Za-z]+)?/LC_MESSAGES|/([a-z]{2})(?:-[A-Z]{2})?-[0-9a-f]{20,}\.json$", path)
    found = match and (match.group(1) or match.group(2))
    return {"no": "nb"}.get(found, found)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


texts = collections.defaultdict(dict)
for folder in folders:
    for path in glob.glob(f"{folder}/**/*.mo", recursive=True) + glob.glob(f"{folder}/**/*.json", recursive=True):
        language = language_of(path)
        if language not in LANGUAGES:
            continue
        if path.endswith(".mo"):
            with open(path, "rb") as file:
                try:
                    catalogue = gettext.GNUTranslations(file)._catalog
                except Exception:
                    continue
            found = [text for key, text in catalogue.items() if key and isinstance(text, str)]
        else:
            found = list(strings(json.load(open(path, encoding="utf-8"))))
        for text in found:
            # Slots of any kind are filled by nothing that a sentence could hold.
            text = re.sub(r"<[^>]*>", " ", text)
            text = re.sub(r"%\(\w+\)[sd]|%[sd]|\{[^{}]*\}", "12", text)
            text = re.sub(r"\s+", " ", text).strip()
            if "{" not in text and 12 < len(text) < 300:
                texts[language][text] = None

# Questions: programs seldom ask, people do, and the first word has its capital.
ASKING = {
    "de": "Was Wie Wer Wo Wann Warum Welche Welcher Welches Wessen Wem Womit Woher Wohin Wofür Wozu Weshalb In|welchem Für|welche Wie|viele Ist Sind Hat Kann Gibt|es",
    "fr": "Que Qui Quel Quelle Quels Quelles Comment Pourquoi Où Quand Combien|de Est-ce|que À|quel Dans|quelle De|quoi Lequel Peut-on",
    "es": "¿Qué ¿Quién ¿Quiénes ¿Cuál ¿Cuáles ¿Cómo ¿Cuándo ¿Dónde ¿Cuánto ¿Cuántos ¿Cuántas ¿Por|qué ¿En|qué ¿A|qué ¿De|qué ¿Para|qué ¿Cuán ¿Hay ¿Es Aparte|de",
    "it": "Che Chi Quale Quali Quanto Quanti Quante Come Quando Dove Perché Cosa Che|cosa In|quale Di|che A|chi Qual|è",
    "nl": "Wat Wie Welke Welk Hoe Hoeveel Wanneer Waar Waarom Waardoor Waarmee In|welk Is Zijn Kan Heeft",
    "pt": "Que Quem Qual Quais Quanto Quantos Quantas Como Quando Onde Por|que O|que Em|que De|que Para|que Existe",
    "pl": "Co Kto Kiedy Gdzie Dlaczego Jak Jaki Jaka Jakie Ile Który Która Które Czy Czym Kogo Komu Skąd Po|co W|którym Za|co",
    "cs": "Co Kdo Kdy Kde Proč Jak Jaký Jaká Jaké Kolik Který Která Které Čím Koho Komu Odkud V|kterém Za|co",
    "sk": "Čo Kto Kedy Kde Prečo Ako Aký Aká Aké Koľko Ktorý Ktorá Ktoré Čím Koho",
    "sv": "Vad Vem Vilka Vilken Vilket Hur När Var Varför Hur|många I|vilken Är Kan Finns Har",
    "da": "Hvad Hvem Hvilke Hvilken Hvilket Hvordan Hvornår Hvor Hvorfor Hvor|mange Er Kan Har",
    "nb": "Hva Hvem Hvilke Hvilken Hvilket Hvordan Når Hvor Hvorfor Hvor|mange Er Kan Har",
    "fi": "Mikä Mitä Kuka Ketkä Milloin Missä Miksi Miten Kuinka|monta Mitkä Minkä Onko Voiko",
    "hu": "Mi Mit Ki Kik Mikor Hol Miért Hogyan Hány Melyik Milyen Mennyi Kinek Van",
    "ro": "Ce Cine Care Cum Când Unde De|ce Cât Câți Câte Câtă Pentru|ce În|ce Cui La|ce Este Există",
    "tr": "Ne Kim Kimler Nasıl Neden Niçin Nerede Kaç Hangi Hangisi Kaçıncı Nereye Kimin",
    "vi": "Ai Cái|gì Điều|gì Khi|nào Ở|đâu Tại|sao Vì|sao Như|thế|nào Bao|nhiêu Bao|lâu Có|bao|nhiêu Loại Những Nguyên|nhân Đâu|là",
    "id": "Apa Siapa Kapan Di|mana Mengapa Bagaimana Berapa Yang|mana Apakah Kenapa",
    "hr": "Što Tko Kada Gdje Zašto Kako Koji Koja Koje Koliko Čime Koga U|kojem",
}
rng = random.Random(5)
# German writes nouns with a capital, and makes new ones of old ones: `Küsten` and `Zähne` give `Küstenzähne`.
NOUN = re.compile(r"(?<=[a-zäöüß,] )[A-ZÄÖÜ][a-zäöüß]{3,}(?![\w-])")
nouns = sorted({word for text in texts["de"] for word in NOUN.findall(text)})


def compound(_):
    first, second = rng.choice(nouns), rng.choice(nouns)
    return rng.choice([first, first + rng.choice(["", "s", "n"]) + second.lower()])


def small_first(text):
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def varied(text, language):
    """The text, or as a question, or from one of its words on: any word may stand first and have its capital."""
    if language == "de" and rng.random() < 0.6:
        text = NOUN.sub(compound, text)
    kind, words = rng.random(), text.split(" ")
    if kind < 0.2 and language in ASKING:
        return rng.choice(ASKING[language].split(" ")).replace("|", " ") + " " + small_first(text).rstrip(".!:") + "?"
    if kind < 0.55 and len(words) > 4:
        rest = " ".join(words[rng.randrange(1, len(words) - 2):])
        return ("¿" if kind < 0.22 and language == "es" else "") + rest[:1].upper() + rest[1:]
    return text.lower() if kind > 0.96 else text


small, capital = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
with open(out, "w", encoding="utf-8") as target:
    for language in LANGUAGES:
        kept = list(texts[language])
        for text in kept:
            for _ in range(3 if language == "de" else 1):
                target.write(json.dumps({"text": varied(text, language), "spans": []}, ensure_ascii=False) + "\n")
            for word in re.findall(r"(?<![\w.@/-])[^\W\d_]{2,}(?![\w@/-])", text)[1:]:
                (small if word.islower() else capital)[language][word.lower()] += 1
        print(language, len(kept), "texts", sum(map(len, kept)), "characters")
# German writes nouns with a capital: there the small word is not what counts.
words = sorted({
    word
    for language in LANGUAGES
    for word in set(small[language]) | (set(capital[language]) if language == "de" else set())
    if small[language][word] + capital[language][word] >= 2
    and (language == "de" or small[language][word] >= 2 * capital[language][word])
})
open(words_out, "w", encoding="utf-8").write("\n".join(words) + "\n")
print(len(words), "words")
taken = {word for path in (common_file, names_file) for word in open(path, encoding="utf-8").read().split("\n")}
frequent = sorted({
    word for language in LANGUAGES for word, n in small[language].items()
    if n >= FREQUENT and n > 5 * capital[language][word] and word not in taken
})
open(frequent_out, "w", encoding="utf-8").write("\n".join(frequent) + "\n")
print(len(frequent), "frequent words")
