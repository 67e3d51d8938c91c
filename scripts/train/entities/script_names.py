"""Persons' names in scripts other than Latin, from the lists of the Python package Faker and of @faker-js/faker (both MIT).

`Names(language, …).person(rng)` gives a name in its cases; names whose checksum is a multiple of HELD_OUT are kept for
the sets that training does not see.
"""
import collections, importlib, re, sys, zlib

HELD_OUT = 8
PYTHON = {
    "ru": ["ru_RU"], "uk": ["uk_UA"], "bg": ["bg_BG", "mk_MK"], "el": ["el_GR"], "ar": ["ar_AA", "ar_SA", "ar_PS", "ar_DZ"], "fa": ["fa_IR"],
    "he": ["he_IL"], "hi": ["hi_IN", "mr_IN", "ne_NP"], "th": ["th_TH"], "zh": ["zh_CN"], "zh-Hant": ["zh_TW"], "ja": ["ja_JP"], "ko": ["ko_KR"],
}
NODE = {
    "ru": ["ru"], "uk": ["uk"], "bg": ["mk"], "el": ["el"], "ar": ["ar"], "fa": ["fa"], "he": ["he"], "hi": ["ne"], "th": ["th"],
    "zh": ["zh_CN"], "zh-Hant": ["zh_TW"], "ja": ["ja"], "ko": ["ko"],
}
LETTERS = {
    "ru": "\u0400-\u04ff", "uk": "\u0400-\u04ff’'", "bg": "\u0400-\u04ff", "el": "\u0370-\u03ff\u1f00-\u1fff", "ar": "\u0600-\u06ff",
    "fa": "\u0600-\u06ff\u200c", "he": "\u0590-\u05ff'\"", "hi": "\u0900-\u097f\u200c\u200d", "th": "\u0e00-\u0e7f", "zh": "\u4e00-\u9fff",
    "zh-Hant": "\u4e00-\u9fff", "ja": "\u3040-\u30ff\u4e00-\u9fff々", "ko": "\uac00-\ud7a3",
}
# Characters that Chinese given names are made of, in a simplified and a traditional list.
GIVEN_CHARACTERS = {
    "zh": "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超霞平刚桂浩宇欣怡雨晨思涵子轩梓萱佳琪志国建文华玉兰红梅春燕晓东海峰鹏飞龙凤云林森博俊瑞雪莹婷慧洁琳颖倩蕾薇诗雅梦瑶嘉豪天佑承恩永康振宏泽民德胜广利成功家辉耀光正义立新向阳庆丰长青若曦一诺沐依辰语桐奕凯铭睿景皓煜睿哲昊然书航",
    "zh-Hant": "偉芳娜秀英敏靜麗強磊軍勇豔傑娟濤明超霞平剛桂浩宇欣怡雨晨思涵子軒佳琪志國建文華玉蘭紅梅春燕曉東海峰鵬飛龍鳳雲林森博俊瑞雪瑩婷慧潔琳穎倩薇詩雅夢瑤嘉豪天佑承恩永康振宏澤民德勝廣成家輝耀光正義立新慶豐宗翰冠廷柏彥宥蓁淑惠美玲雅雯怡君",
}
COMPOUND_SURNAMES = {"zh": ["欧阳", "司马", "上官", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐", "司徒", "夏侯"],
                     "zh-Hant": ["歐陽", "司馬", "上官", "諸葛", "張簡", "范姜"]}
# Thai surnames are unique to a family: compounds of such words.
SURNAME_WORDS_TH = "ศรี วงศ์ สกุล พงษ์ ชัย ทอง แก้ว บุญ สุข ใจ ดี รัตน์ มณี เจริญ พัฒน์ กุล สิทธิ์ วัฒน์ ธรรม เพชร จันทร์ สมบัติ ประเสริฐ วิไล สุวรรณ อินทร์ พรหม เทพ นาค สิงห์ เกษม ไพศาล วิจิตร ปัญญา อารีย์ มี ภักดี งาม เลิศ มั่น คง ยิ่ง รุ่งเรือง สว่าง คำ จิต เดช ฤทธิ์ ศักดิ์ โชติ เกียรติ นันท์ กิจ การ พานิช ตระกูล ภิรมย์ สมุทร นคร โพธิ์ ม่วง เขียว ขาว".split()
# How often each frequent Chinese surname is drawn before the others.
FREQUENT = {"zh": "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤",
            "zh-Hant": "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊呂江何蕭羅高潘簡朱鍾游彭詹胡施沈余盧梁趙顏柯翁魏孫戴范方宋鄧杜傅侯曹薛丁卓馬董溫唐藍石蔣田康鄒白涂尤巫韓龔嚴袁鐘黎金阮陸倪夏童邵柳錢",
            "ko": "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국"}
NAME_SYLLABLES_KO = "서준민우지현예은수아윤하진영호성재도연유빈원태경미정혜선희주승동현규찬석건훈철광용상일남옥숙순자애란화인범기혁욱나라솔별가온다슬보람새한결은채소율시아린설"


def held_out(name):
    return zlib.crc32(name.encode()) % HELD_OUT == 0


def attribute(locale, name):
    try:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    except ImportError:
        return []
    value = getattr(provider, name, ())
    return list(value)


class Names:
    """All names of one language, or the held-out ones, by gender (`m`, `f`)."""

    def __init__(self, language, node_rows, unseen=False):
        self.language, self.unseen = language, unseen
        letters = re.compile(f"^[{LETTERS[language]}]+(?:[ -][{LETTERS[language]}]+)*$")
        lists = {"given": {"m": set(), "f": set()}, "surname": {"m": set(), "f": set()}, "middle": {"m": set(), "f": set()}}
        for locale in PYTHON[language]:
            for kind, field in (("given", "first_names"), ("surname", "last_names"), ("middle", "middle_names")):
                male, female = attribute(locale, field + "_male"), attribute(locale, field + "_female")
                both = [] if male or female else attribute(locale, field)
                if language == "ja":
                    both = both + attribute(locale, field.replace("_names", "_kana_names"))
                lists[kind]["m"].update(male + both)
                lists[kind]["f"].update(female + both)
        for kind, name, locale, gender in node_rows:
            if locale in NODE[language]:
                for g in {"male": "m", "female": "f"}.get(gender, "mf"):
                    lists[kind][g].add(name)
        if language in ("zh", "zh-Hant"):
            for g in "mf":
                lists["surname"][g] = {s for s in lists["surname"][g] if len(s) == 1} | set(COMPOUND_SURNAMES[language])
        self.lists = {
            kind: {g: sorted(n for n in names if letters.match(n) and self.kept(kind, n)) for g, names in by_gender.items()}
            for kind, by_gender in lists.items()
        }

    def kept(self, kind, name):
        # Surnames of one character are too few to be kept apart; there given names alone are unseen.
        if kind == "surname" and self.language in ("zh", "zh-Hant", "ko"):
            return True
        return held_out(name) == self.unseen

    def given(self, rng, gender):
        language = self.language
        if language in GIVEN_CHARACTERS and rng.random() < 0.8:
            characters = GIVEN_CHARACTERS[language]
            for _ in range(50):
                name = "".join(rng.choice(characters) for _ in range(rng.choice([1, 2, 2, 2])))
                if held_out(name) == self.unseen:
                    return name
        if language == "ko" and rng.random() < 0.5:
            for _ in range(50):
                name = "".join(rng.choice(NAME_SYLLABLES_KO) for _ in range(rng.choice([1, 2, 2, 2, 2, 2])))
                if held_out(name) == self.unseen:
                    return name
        return self.maybe_new("given", rng, gender)

    def surname(self, rng, gender):
        if self.language == "th" and rng.random() < 0.5:
            for _ in range(50):
                name = "".join(rng.sample(SURNAME_WORDS_TH, rng.choice([2, 2, 3])))
                if held_out(name) == self.unseen:
                    return name
        if self.language in FREQUENT and rng.random() < 0.75:
            frequent = FREQUENT[self.language]
            # The first ones are borne by more people than all others together.
            return frequent[min(int(rng.expovariate(1 / 22)), len(frequent) - 1)]
        return self.maybe_new("surname", rng, gender)

    def maybe_new(self, kind, rng, gender):
        """One of the list, or a new one: the beginning of one and the end of another."""
        names = self.lists[kind][gender] or self.lists[kind]["m"]
        name = rng.choice(names)
        if rng.random() > NEW.get(self.language, 0.2) or len(name) < 2 or " " in name:
            return name
        other = rng.choice(names)
        if " " in other or len(other) < 2:
            return name
        return name[: max(1, len(name) // 2)] + other[len(other) // 2 :]

    def all(self):
        return {kind: {n for names in by.values() for n in names} for kind, by in self.lists.items()}


NEW = {"zh": 0, "zh-Hant": 0, "th": 0.12, "hi": 0.12, "ja": 0.25, "ko": 0.1}

# ---- cases -----------------------------------------------------------------------------------------------------------

RU_CASES = {"g": 0, "d": 1, "i": 2}


def slavic(word, case, gender, kind, language):
    """Genitive, dative or instrumental of a Russian or Ukrainian name; unchanged where it has none."""
    at = RU_CASES[case]
    uk = language == "uk"
    lower = word.lower()
    if kind == "surname" and re.search(r"(?:ский|цкий|зкий|ький)$", lower):
        return word[:-2] + (("ого", "ому", "им") if not uk else ("ого", "ому", "им"))[at]
    if kind == "surname" and re.search(r"(?:ская|цкая|зкая)$", lower):
        return word[:-2] + "ой"
    if kind == "surname" and re.search(r"(?:ська|цька|зька)$", lower):
        return word[:-1] + ("ої", "ій", "ою")[at]
    if kind == "surname" and re.search(r"(?:ова|ева|ёва|ина|єва|їна|іна)$", lower) and gender == "f":
        return word[:-1] + (("ой", "ой", "ой") if not uk else ("ої", "ій", "ою"))[at]
    if kind == "surname" and re.search(r"(?:ов|ев|ёв|ин|єв|їн|ін)$", lower) and gender == "m":
        return word + (("а", "у", "ым") if not uk else ("а", "у", "им"))[at]
    if re.search(r"(?:ко|их|ых|о|е|э|и|і|у|ю)$", lower):
        return word if not (uk and lower.endswith("ко") and gender == "m") else word[:-1] + ("а", "у", "ом")[at]
    if lower.endswith("ия") or lower.endswith("ія"):
        return word[:-1] + (("и", "и", "ей") if not uk else ("ї", "ї", "єю"))[at]
    if lower.endswith("я"):
        return word[:-1] + (("и", "е", "ей") if not uk else ("і", "і", "ею"))[at]
    if lower.endswith("а"):
        hard = not re.search(r"[гкхжчшщ]а$", lower)
        return word[:-1] + ((("ы" if hard else "и"), "е", "ой") if not uk else ("и", "і", "ою"))[at]
    if gender == "f":
        return word[:-1] + (("и", "и", "ью") if not uk else ("і", "і", "ю"))[at] if lower.endswith("ь") else word
    if lower.endswith("й"):
        return word[:-1] + (("я", "ю", "ем") if not uk else ("я", "ю", "єм"))[at]
    if lower.endswith("ь"):
        return word[:-1] + (("я", "ю", "ем") if not uk else ("я", "ю", "ем"))[at]
    return word + (("а", "у", "ом") if not uk else ("а", "у", "ом"))[at]


def greek(word, case, gender):
    """Genitive (`g`, also near the accusative) and vocative of a Greek name."""
    if gender == "f":
        if case == "v":
            return word
        return word + "ς" if re.search("[αάηή]$", word) else word
    for end, genitive, vocative in (("ος", "ου", "ε"), ("ός", "ού", "έ"), ("ης", "η", "η"), ("ής", "ή", "ή"), ("ας", "α", "α"), ("άς", "ά", "ά")):
        if word.endswith(end):
            return word[: -len(end)] + (genitive if case == "g" else vocative)
    return word


def inflect(word, case, gender, kind, language):
    parts = re.split("([ -])", word)
    if case == "n" or language not in ("ru", "uk", "el"):
        return word
    change = (lambda p: greek(p, case, gender)) if language == "el" else (lambda p: slavic(p, case if case in RU_CASES else "g", gender, kind, language))
    return "".join(p if p in " -" else change(p) for p in parts if p)


# ---- names from elsewhere --------------------------------------------------------------------------------------------

SOUND = re.compile(r"(sch|ch|sh|th|ph|ck|kh|zh|[bcdfghjklmnpqrstvwxyz])?(ee|oo|ai|ou|au|[aeiouy])?", re.I)
CONSONANTS = "b c ch ck d f g h j k kh l m n p ph q r s sch sh t th v w x y z zh".split()
VOWELS = "a ai au e ee i o oo ou u y".split()
TABLES = {
    "cyrillic": ("б к ч к д ф г х дж к х л м н п ф к р с ш ш т т в у кс й з ж".split(), "а ай ау е и и о у у у и".split()),
    "greek": ("μπ κ τσ κ ντ φ γκ χ τζ κ χ λ μ ν π φ κ ρ σ σ σ τ θ β γου ξ γι ζ ζ".split(), "α άι άου ε ι ι ο ου ου ου ι".split()),
    "arabic": ("ب ك تش ك د ف غ ه ج ك خ ل م ن ب ف ك ر س ش ش ت ث ف و كس ي ز ج".split(), "ا اي او ي ي ي و و و و ي".split()),
    "hebrew": ("ב ק צ׳ ק ד פ ג ה ג׳ ק ח ל מ נ פ פ ק ר ס ש ש ט ת ו ו קס י ז ז׳".split(), "א איי או  י י ו ו ו ו י".split(" ")),
    "devanagari": ("ब क च क ड फ ग ह ज क ख ल म न प फ क र स श श ट थ व व क्स य ज़ झ".split(), None),
    "thai": ("บ ค ช ค ด ฟ ก ฮ จ ค ค ล ม น พ ฟ ค ร ส ช ช ท ธ ว ว ซ ย ซ ช".split(), None),
}
DEVANAGARI_SIGNS = dict(zip(VOWELS, "ा ै ौ े ी ि ो ू ौ ु ी".split()))
DEVANAGARI_VOWELS = dict(zip(VOWELS, "आ ऐ औ ए ई इ ओ ऊ औ उ ई".split()))
KANA = {"": "アイウエオ", "k": "カキクケコ", "s": "サシスセソ", "t": "タティトゥテト", "n": "ナニヌネノ", "h": "ハヒフヘホ", "m": "マミムメモ", "r": "ラリルレロ",
        "g": "ガギグゲゴ", "z": "ザジズゼゾ", "d": ["ダ", "ディ", "ドゥ", "デ", "ド"], "b": "バビブベボ", "p": "パピプペポ", "f": ["ファ", "フィ", "フ", "フェ", "フォ"],
        "sh": ["シャ", "シ", "シュ", "シェ", "ショ"], "ch": ["チャ", "チ", "チュ", "チェ", "チョ"], "j": ["ジャ", "ジ", "ジュ", "ジェ", "ジョ"],
        "w": ["ワ", "ウィ", "ウ", "ウェ", "ウォ"], "y": ["ヤ", "イ", "ユ", "イェ", "ヨ"]}
KANA["t"] = ["タ", "ティ", "トゥ", "テ", "ト"]
KANA_OF = {"c": "k", "ck": "k", "k": "k", "q": "k", "kh": "k", "l": "r", "r": "r", "v": "b", "th": "s", "ph": "f", "x": "k", "sch": "sh", "zh": "j"}
CHINESE_SOUNDS = "斯克尔特德姆林恩森里奇亚拉米娜约翰史密布朗戴维琼威廉哈利罗伯逊迈杰乔治安娜玛丽伊莎贝艾莉卡尼奥托马汤普沃福格雷蒂莫西詹路易丹莱文凯瑟琳萨曼莎巴顿肯鲍勃弗朗兰菲利洛"
HANGUL_INITIALS = {c: i for i, c in enumerate("g kk n d tt r m b pp s ss - j jj ch k t p h".split())}
HANGUL_OF = {"c": "k", "ck": "k", "k": "k", "q": "k", "kh": "k", "l": "r", "f": "p", "ph": "p", "v": "b", "th": "s", "z": "j", "zh": "j", "sch": "s", "sh": "s", "x": "k", "w": "-", "y": "-"}
HANGUL_VOWELS = {"a": 0, "ai": 1, "au": 8, "e": 5, "ee": 20, "i": 20, "o": 8, "oo": 13, "ou": 13, "u": 13, "y": 20}
SCRIPT_OF = {"ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic", "el": "greek", "ar": "arabic", "fa": "arabic", "he": "hebrew", "hi": "devanagari", "th": "thai"}


def sounds(name):
    return [((c or "").lower(), (v or "").lower()) for c, v in SOUND.findall(name) if c or v]


def from_elsewhere(name, language, rng):
    """A Latin name as a speaker of the language might write it, roughly."""
    if language in ("zh", "zh-Hant"):
        return "".join(rng.choice(CHINESE_SOUNDS) for _ in range(rng.choice([2, 2, 3, 3, 4])))
    result = ""
    for c, v in sounds(name):
        if language == "ja":
            row = KANA[KANA_OF.get(c, c)]
            if v:
                result += row["aiueo".index({"ai": "a", "au": "a", "ee": "i", "oo": "u", "ou": "u", "y": "i"}.get(v, v)[0])] + ("ー" if len(v) == 2 else "")
            else:
                result += "ン" if c in "mn" else row[4] if c in "td" else row[2]
        elif language == "ko":
            initial = HANGUL_INITIALS.get(HANGUL_OF.get(c, c) or "-", 11)
            if not v and c in ("n", "m", "l", "ng") and result and (ord(result[-1]) - 0xAC00) % 28 == 0:
                result = result[:-1] + chr(ord(result[-1]) + {"n": 4, "m": 16, "l": 8}[c])
            else:
                result += chr(0xAC00 + (initial * 21 + (HANGUL_VOWELS[v] if v else 18)) * 28)
        elif language == "hi":
            consonant = TABLES["devanagari"][0][CONSONANTS.index(c)] if c else ""
            result += consonant + (DEVANAGARI_SIGNS[v] if v else "") if c else DEVANAGARI_VOWELS[v]
        elif language == "th":
            consonant = TABLES["thai"][0][CONSONANTS.index(c)] if c else "อ"
            before, after = {"a": ("", "า"), "ai": ("ไ", ""), "au": ("เ", "า"), "e": ("เ", ""), "ee": ("", "ี"), "i": ("", "ิ"), "o": ("โ", ""), "oo": ("", "ู"), "ou": ("", "ู"), "u": ("", "ุ"), "y": ("", "ี"), "": ("", "")}[v]
            result += before + consonant + after
        else:
            consonants, vowels = TABLES[SCRIPT_OF[language]]
            result += (consonants[CONSONANTS.index(c)] if c else "") + (vowels[VOWELS.index(v)] if v else "")
    if language in ("ru", "uk", "bg", "el"):
        result = result[:1].upper() + result[1:]
    return result


# ---- whole persons ---------------------------------------------------------------------------------------------------

Person = collections.namedtuple("Person", "parts gender")  # parts: (word, kind) and the signs between them


def compose(names, rng, latin):
    """Parts of a whole name, or of what people are called by."""
    language, gender = names.language, rng.choice("mf")
    g, s = (lambda: names.given(rng, gender)), (lambda: names.surname(rng, gender))
    draw = rng.random()
    if draw < 0.1 and latin:
        first, last = (from_elsewhere(rng.choice(latin[k]), language, rng) for k in ("given", "surname"))
        gap = {"zh": "·", "zh-Hant": "·", "ja": rng.choice("・・＝ ")}.get(language, " ")
        parts = [(first, "given"), gap, (last, "surname")] if rng.random() < 0.7 else [(rng.choice([first, last]), "given")]
        return Person(parts, "x")
    draw = rng.random()
    if language in ("ru", "uk"):
        middle = lambda: rng.choice(names.lists["middle"][gender] or names.lists["middle"]["m"])
        initial = lambda word: (word[0] + ".", "initial")
        if draw < 0.34: parts = [(g(), "given"), " ", (s(), "surname")]
        elif draw < 0.46: parts = [(s(), "surname"), " ", (g(), "given")]
        elif draw < 0.56: parts = [(s(), "surname"), " ", (g(), "given"), " ", (middle(), "middle")]
        elif draw < 0.66: parts = [(g(), "given"), " ", (middle(), "middle")]
        elif draw < 0.70: parts = [(g(), "given"), " ", (middle(), "middle"), " ", (s(), "surname")]
        elif draw < 0.78: parts = [(s(), "surname"), " ", initial(g()), rng.choice(["", " "]), initial(middle())]
        elif draw < 0.83: parts = [initial(g()), rng.choice(["", " "]), initial(middle()), " ", (s(), "surname")]
        elif draw < 0.93: parts = [(g(), "given")]
        else: parts = [(s(), "surname")]
    elif language in ("bg", "el"):
        if draw < 0.7: parts = [(g(), "given"), " ", (s(), "surname")]
        elif draw < 0.76: parts = [(s(), "surname"), " ", (g(), "given")]
        elif draw < 0.92: parts = [(g(), "given")]
        else: parts = [(s(), "surname")]
    elif language in ("ar", "fa"):
        if draw < 0.5: parts = [(g(), "given"), " ", (s(), "surname")]
        elif draw < 0.68: parts = [(g(), "given"), " ", (names.given(rng, "m"), "given"), " ", (s(), "surname")]
        elif draw < 0.74: parts = [(g(), "given"), " ", (names.given(rng, "m"), "given")]
        elif draw < 0.79 and language == "ar": parts = [(g(), "given"), " بن ", (names.given(rng, "m"), "given"), " ", (s(), "surname")]
        elif draw < 0.82 and language == "ar": parts = [("أبو", "given"), " ", (names.given(rng, "m"), "given")]
        elif draw < 0.94: parts = [(g(), "given")]
        else: parts = [(s(), "surname")]
    elif language in ("he", "hi"):
        if draw < 0.68: parts = [(g(), "given"), " ", (s(), "surname")]
        elif draw < 0.75 and language == "hi": parts = [(g(), "given"), " ", (rng.choice(["कुमार", "सिंह", "लाल", "प्रसाद", "देवी", "चंद्र"]), "given"), " ", (s(), "surname")]
        elif draw < 0.75: parts = [(g(), "given"), rng.choice([" ", "-"]), (g(), "given"), " ", (s(), "surname")]
        elif draw < 0.92: parts = [(g(), "given")]
        else: parts = [(s(), "surname")]
    elif language == "th":
        if draw < 0.7: parts = [(g(), "given"), " ", (s(), "surname")]
        else: parts = [(g(), "given")]
        if rng.random() < 0.35: parts = [(rng.choice(["นาย", "นาง", "นางสาว", "คุณ", "ด.ช.", "ด.ญ.", "น.ส."]), "title")] + parts
    elif language in ("zh", "zh-Hant"):
        if draw < 0.86: parts = [(s(), "surname"), (g(), "given")]
        elif draw < 0.93: parts = [(rng.choice("老小阿"), "title"), (s(), "surname")]
        else: parts = [(s(), "surname")]
    elif language == "ja":
        if draw < 0.5: parts = [(s(), "surname"), (g(), "given")]
        elif draw < 0.72: parts = [(s(), "surname"), rng.choice([" ", "　"]), (g(), "given")]
        elif draw < 0.9: parts = [(s(), "surname")]
        else: parts = [(g(), "given")]
    else:
        if draw < 0.82: parts = [(s(), "surname"), (g(), "given")]
        elif draw < 0.86: parts = [(s(), "surname"), " ", (g(), "given")]
        else: parts = [(g(), "given")]
    return Person(parts, gender)


def written(person, case, language):
    def word(part):
        value, kind = part
        if kind in ("initial", "title") or person.gender == "x":
            return value
        return inflect(value, case, person.gender, kind, language)
    return "".join(part if isinstance(part, str) else word(part) for part in person.parts)
