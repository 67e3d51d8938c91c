/**
 * What stands beside a find in scripts other than Latin: words that introduce or address a person, and words whose names
 * are those of things. Own lists, by language; a word counts with its usual endings.
 */

/** Before a name: titles, greetings, `my name is`; words of their own. */
const TITLES_BEFORE = [
  "الدكتورة?|دكتورة?|السيدة?|الأستاذة?|أستاذة?|المهندسة?|الآنسة|الطبيبة?|المحامية?|المعلمة?|القاضية?|الشيخ|الحاجة?|اسمي|اسمه|اسمها|أنا|مرحبا|مرحبًا|أهلا|أهلًا|يا|عزيزي|عزيزتي|عمي?|خالتي|عمتي|خالي",
  "آقای|خانم|دکتر|مهندس|استاد|جناب|سرکار|سلام|عزیزم|اسمم|نامم|دایی|عمو|خاله|عمه",
  "ד\"ר|ד״ר|דר'|מר|גברת|גב'|גב׳|פרופ'|פרופ׳|פרופסור|היי|הי|שלום|לי|שמי|עו\"ד|עו״ד|הרב|המורה|האחות|הרופאה?|מדברת?|דודה?|סבא|סבתא",
  "श्री|श्रीमती|सुश्री|कुमारी|डॉ\\.?|डॉक्टर|प्रो\\.?|नाम|प्रिय|नमस्ते|मैं|मास्टर|पंडित",
  "господина?|госпож[аиуе]|г-на?|г-жа|доктора?|врача?|профессора?|гражданин|гражданка|дяд[яюи]|т[её]т[яюи]|зовут|привет|здравствуйте|уважаем(?:ый|ая)|дорог(?:ой|ая)|учител(?:ь|я|ю|ьница)|медсестра|директора?|нотариуса?|адвоката?",
  "пан[аіу]?|пані|лікарк?[аиуі]?|лікаря?|професора?|вчител(?:ь|я|ька|ьки)|звати|привіт|вітаю|шановн(?:ий|а)|дорог(?:ий|а)|дяд(?:ько|ька)|тітк[аиу]|директорк?а?|адвокатк?а?|нотаріус",
  "κύρι(?:ος|ε|ο|ου)|κυρί(?:α|ας)|κ\\.|κα|δρ\\.?|γιατρ(?:ός|ού|ό)|καθηγητ(?:ής|ή|ρια)|δικηγόρος|λένε|λέγομαι|γεια|αγαπητ(?:ή|έ)|θεί(?:α|ος)",
].join("|")
const AFTER_TITLE = new RegExp(`(?<![\\p{L}\\p{M}])(?:${TITLES_BEFORE})[ :,]{1,2}$`, "u")
const BEGINS_IN_TITLE = new RegExp(`^(?:${TITLES_BEFORE}) \\p{L}`, "u")
/** Thai is written without blanks. */
const AFTER_THAI_TITLE = /(?:คุณ|นาย|นาง|นางสาว|ดร\.|หมอ|พี่|น้อง|ครู|อาจารย์|ป้า|ลุง|ชื่อ|ผม|สวัสดี)\s?$/u
const BEGINS_IN_THAI_TITLE = /^(?:คุณ|นาย|นาง|นางสาว|พี่|น้อง|หมอ|ครู|ป้า|ลุง)/u

/** Behind a name. */
const BEFORE_TITLE = new RegExp(
  `^(?:${[
    "(?:先生|女士|小姐|老师|老師|医生|醫生|大夫|经理|經理|主任|教授|律师|律師|师傅|師傅|同学|同學|阿姨|叔叔|护士|博士)",
    "(?:さん|様|さま|くん|君|ちゃん|先生|氏|殿|部長|課長|社長|店長)",
    " ?(?:씨|님|선생님|대표|과장|부장|대리|사원|팀장|교수|박사|군|양)(?!\\p{Script=Hangul}{3})",
    // To and from whom: of beings alone.
    "(?:에게|한테|께서)",
    " (?:जी|साहब|दीदी|भैया|भाई|मैडम|सर|चाचा|आंटी)(?![\\p{L}\\p{M}])",
    "(?:คะ|ครับ|ค่ะ|จ๊ะ|จ้ะ)",
    // Somebody is called by name.
    ", (?:ты|вы|тебе|вам|скажи|скажите|пожалуйста|можешь|можете|ти|ви|тобі|скажіть|можеш|будь)(?!\\p{L})",
  ].join("|")})`,
  "iu",
)
/** Chinese and Korean for "I am called", "name:", "hello". */
const AFTER_CHINESE_WORD = /(?:我叫|我是|姓名[：:]|名叫|你好，?|您好，?|亲爱的|老|小|阿)$/u
const AFTER_KOREAN_WORD = /(?:여보세요|안녕하세요|이름은|성명|저는|나는)[,:]? ?$/u

/** Whether the words beside a find say that it names a person. */
export const isIntroducedInScript = (value: string, before: string, after: string): boolean =>
  AFTER_TITLE.test(before) ||
  BEGINS_IN_TITLE.test(value) ||
  BEFORE_TITLE.test(after) ||
  (/\p{Script=Thai}/u.test(value) && (AFTER_THAI_TITLE.test(before) || BEGINS_IN_THAI_TITLE.test(value))) ||
  (/\p{Script=Han}/u.test(value) && AFTER_CHINESE_WORD.test(before)) ||
  (/\p{Script=Hangul}/u.test(value) && AFTER_KOREAN_WORD.test(before))

/** Before a name that is a thing's: service, system, company, river, town, museum, university, airport, street and so on. */
const THINGS_BEFORE = [
  "(?:ال)?(?:خدمة|نظام|تطبيق|شركة|برنامج|نادي|نهر|مدينة|بحيرة|جبل|جزيرة|متحف|جامعة|مستشفى|شارع|مطار|منصة|متصفح|محطة|ميدان|مدرسة|بنك|قناة|معركة|قانون|نظرية|مقاطعة|ولاية|دولة)",
  "شرکت|برنامه|نرم‌افزار|سامانه|سرویس|رود|رودخانه|شهر|دریاچه|کوه|جزیره|موزه|دانشگاه|بیمارستان|فرودگاه|خیابان|میدان|باشگاه|پل|استان|بانک|کشور|قانون",
  "חברת|מערכת|תוכנת|אפליקציית|שירות|נהר|נחל|העיר|הר|האי|מוזיאון|אוניברסיטת|בית (?:ה)?חולים|רחוב|שדה התעופה|קבוצת|מועדון|בנק|תחנת|כיכר|חוק|מדינת|אגם|ים",
  "(?:компани|систем|программ|приложени|сервис|рек|город|озер|остров|музе|университет|больниц|аэропорт|станци|улиц|площад|клуб|завод|фирм|преми|област|банк|стади|метр|теорем|закон|гор|платформ)\\p{L}{0,3}",
  "(?:компані|систем|програм|застосун|сервіс|річк|міст|озер|остр|музе|університет|лікарн|аеропорт|станці|вулиц|площ|клуб|завод|фірм|премі|област|банк|стадіон|метро|теорем|закон|гор|платформ)\\p{L}{0,4}",
  "(?:εταιρεί|σύστημα|εφαρμογή|υπηρεσία|ποταμ|πόλη|λίμνη|όρος|νησί|μουσεί|πανεπιστήμι|νοσοκομεί|οδό|αεροδρόμι|σταθμό|τράπεζα|νόμο|θεώρημα|πλατεία)\\p{L}{0,2}",
].join("|")
const AFTER_THING = new RegExp(`(?<![\\p{L}\\p{M}])[وبل]?(?:${THINGS_BEFORE}) ["«“]?$`, "iu")
/** Behind a name that is a thing's: river, town, company, bank, university, hospital, system, triangle and so on. */
const BEFORE_THING = new RegExp(
  `^(?:${[
    " (?:नदी|शहर|झील|पर्वत|द्वीप|संग्रहालय|विश्वविद्यालय|अस्पताल|हवाई|कंपनी|ऐप|बैंक|त्रिभुज|प्रणाली|सिस्टम|स्टेशन|मंदिर|किला|किले|सेवा|ब्राउज़र|फ़ोन|राज्य|प्रमेय|लीग)(?![\\p{L}\\p{M}])",
    "(?:公司|银行|銀行|大学|大學|医院|醫院|机场|機場|车站|火车站|集团|系统|系統|平台|博物馆|仲裁|软件|手机|队|省|市|县|区|河|江|湖|山|岛|島|海|湾|定理|定律|法院)",
    "(?:会社|大学|病院|空港|駅|川|山|湖|島|県|市|湾|銀行|新聞|球場|スタジアム|システム|アプリ|法|定理)",
    "(?:은행|대학교|대학|병원|역(?!시)|공항|시스템|호수|산맥|공사|전자|자동차|타이어|구단|법원|증권)",
  ].join("|")})`,
  "u",
)

/** Whether the words beside a find say that it names a thing. */
export const isThingInScript = (before: string, after: string): boolean =>
  AFTER_THING.test(before) || BEFORE_THING.test(after)

/** Written right behind a Korean name: particles, titles, forms of "to be". */
const KOREAN_TAIL =
  /^(?:이|가|은|는|을|를|의|에게|에|와|과|도|만|씨|님|군|양|께|한테|랑|로|으로|부터|까지|보다|처럼|하고|입니다|인|예요|였|라|야|아|여|선생|교수|박사|대표|과장|부장|대리|사원|팀장)/u
/** A find that is cut out of the middle of Korean words, or of one syllable. */
export const isCutInKorean = (value: string, after: string): boolean =>
  /\p{Script=Hangul}$/u.test(value) &&
  ([...value].length < 2 || (/^\p{Script=Hangul}/u.test(after) && !KOREAN_TAIL.test(after)))
