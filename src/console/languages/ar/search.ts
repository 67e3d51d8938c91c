import type { Same } from "../catalogue.ts"
import type { search as german } from "../de/search.ts"

export const search: Same<typeof german> = {
  "Any time": "أي وقت",
  "Any type": "أي نوع",
  "By file": "حسب الملف",
  Contexts: "السياقات",
  "Did you mean <meant/>?": "هل تقصد <meant/>؟",
  Explain: "شرح",
  "{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.":
    "{files, plural, zero {لا ملفات قيد الفهرسة} one {ملف واحد قيد الفهرسة} two {ملفان قيد الفهرسة} few {# ملفات قيد الفهرسة} many {# ملفًا قيد الفهرسة} other {# ملف قيد الفهرسة}}: ابحث مرة أخرى بعد لحظات.",
  "{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.":
    "{files, plural, zero {لا ملفات قابلة للبحث} one {ملف واحد قابل للبحث} two {ملفان قابلان للبحث} few {# ملفات قابلة للبحث} many {# ملفًا قابلًا للبحث} other {# ملف قابل للبحث}}. جرّب كلمات أخرى أو كلمات أقل.",
  "{files, plural, one {# file} other {# files}} still being indexed":
    "{files, plural, zero {لا ملفات قيد الفهرسة} one {ملف واحد لا يزال قيد الفهرسة} two {ملفان لا يزالان قيد الفهرسة} few {# ملفات لا تزال قيد الفهرسة} many {# ملفًا لا يزال قيد الفهرسة} other {# ملف لا يزال قيد الفهرسة}}",
  "Go to the library": "الانتقال إلى المكتبة",
  "How likely this passage answers the query: of those at 50 %, about half do":
    "مدى احتمال أن يجيب هذا المقطع عن الاستعلام: نحو نصف المقاطع التي نسبتها ‎50%‎ تجيب عنه",
  Hybrid: "مختلط",
  Keyword: "الكلمات المفتاحية",
  "Keyword search matches words as written, semantic search what they mean. Hybrid uses both.":
    "يطابق البحث بالكلمات المفتاحية الكلمات كما كُتبت، ويطابق البحث الدلالي معناها. ويستخدم المختلط كليهما.",
  "Last day": "آخر يوم",
  "Last month": "آخر شهر",
  "Last week": "آخر أسبوع",
  "Last year": "آخر سنة",
  "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.":
    "عُرف المعنى كاملًا لعدد {done} من {total} من المقاطع: يجري استخراج الباقي، وقد يتغير الترتيب.",
  Mode: "الوضع",
  "More of this file": "المزيد من هذا الملف",
  "Near the query, but unlikely to answer it.": "قريبة من الاستعلام، لكن يُستبعد أن تجيب عنه.",
  "No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>":
    "لا يحتوي أي ملف على <words/>. تم البحث أيضًا عن <tried/>. <only>البحث كما كُتب فقط</only>",
  "no match": "لا تطابق",
  "Not reranked: there was no time for it, or the model is off.": "لم يُعَد الترتيب: لم يتسع الوقت أو النموذج متوقف.",
  "Nothing found": "لم يُعثر على شيء",
  "Nothing to search yet": "لا شيء للبحث فيه بعد",
  "Open the passage": "فتح المقطع",
  "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, zero {لا مقاطع} one {مقطع واحد} two {مقطعان} few {# مقاطع} many {# مقطعًا} other {# مقطع}} في {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}، {time}",
  "{passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, zero {لا مقاطع} one {مقطع واحد} two {مقطعان} few {# مقاطع} many {# مقطعًا} other {# مقطع}}، {time}",
  "rank {rank}, score {score}": "الترتيب {rank}، الدرجة {score}",
  Relevance: "الصلة",
  Rerank: "إعادة الترتيب",
  "Search again": "البحث مرة أخرى",
  "Search for similar words too": "البحث عن كلمات مشابهة أيضًا",
  "Search the library": "البحث في المكتبة",
  "Search without the filters": "البحث بلا عوامل التصفية",
  Semantic: "دلالي",
  "Show more": "عرض المزيد",
  "<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.":
    "<slash/> يعيدك إلى هنا، و<down/> و<up/> للتنقل بين النتائج، و<enter/> لفتحها.",
  "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "أفضل {passages, plural, zero {لا مقاطع} one {مقطع واحد} two {مقطعين} few {# مقاطع} many {# مقطعًا} other {# مقطع}} في {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}، {time}",
  "The best {passages, plural, one {# passage} other {# passages}}, {time}":
    "أفضل {passages, plural, zero {لا مقاطع} one {مقطع واحد} two {مقطعين} few {# مقاطع} many {# مقطعًا} other {# مقطع}}، {time}",
  "The embedding model is not available or does not know the words of the query: these results come from keywords only.":
    "نموذج التضمين غير متاح أو لا يعرف كلمات الاستعلام: هذه النتائج من الكلمات المفتاحية وحدها.",
  "The library is empty.": "المكتبة فارغة.",
  Types: "الأنواع",
  "under {value} %": "أقل من ‎{value}%‎",
  "{value} %": "‎{value}%‎",
  "Weak matches": "نتائج ضعيفة",
  "What are you looking for?": "عمَّ تبحث؟",
  "What the files are": "أنواع الملفات",
  "Words were searched for exactly as they are written.": "تم البحث عن الكلمات كما كُتبت تمامًا.",
}
