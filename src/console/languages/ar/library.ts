import type { Same } from "../catalogue.ts"
import type { library as german } from "../de/library.ts"

export const library: Same<typeof german> = {
  "A scope that searches and chats can be narrowed to": "نطاق يمكن حصر البحث والدردشة فيه",
  "A view keeps the present filters, order and columns. Only you see it, in every browser that you sign in with.":
    "تحفظ طريقة العرض عوامل التصفية والترتيب والأعمدة الحالية. أنت وحدك تراها، في كل متصفح تسجّل الدخول منه.",
  "added {time}": "أُضيف {time}",
  "Any state": "أي حالة",
  "Beside the name": "إلى جانب الاسم",
  "Change {files, plural, one {# file} other {# files}}":
    "تغيير {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Changing: {done} of {total, plural, one {# file} other {# files}}":
    "جارٍ التغيير: {done} من {total, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Choose all": "تحديد الكل",
  "Choose all {total} that match": "تحديد كل المطابقات ({total})",
  "Choose none": "إلغاء التحديد",
  "Choose {name}": "تحديد {name}",
  "Chosen files": "الملفات المحددة",
  Clear: "مسح",
  "Clear the filters": "مسح عوامل التصفية",
  Columns: "الأعمدة",
  "Columns of the list": "أعمدة القائمة",
  "Contains …": "يحتوي على…",
  "contracts, 2026": "عقود, 2026",
  "Delete chosen": "حذف المحدد",
  "Delete the view {name}": "حذف طريقة العرض {name}",
  "Delete {files, plural, one {# file} other {# files}}":
    "حذف {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Delete {files, plural, one {# file} other {# files}}?":
    "هل تريد حذف {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}؟",
  "Delete {name}": "حذف {name}",
  "Deleted {name}": "حُذف {name}",
  "Deleting: {done} of {total, plural, one {# file} other {# files}}":
    "جارٍ الحذف: {done} من {total, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Drop files here, or select Upload.": "أفلت الملفات هنا أو اختر «رفع».",
  "Drop to upload": "أفلت للرفع",
  "External id": "المعرّف الخارجي",
  "{files, plural, one {# file} other {# files}} chosen":
    "حُدِّد: {files, plural, zero {# ملف} one {ملف واحد} two {ملفان} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "{files, plural, one {# file} other {# files}} done":
    "تم: {files, plural, zero {# ملف} one {ملف واحد} two {ملفان} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "{files, plural, one {# file} other {# files}} done, {failed} could not be":
    "تم: {files, plural, zero {# ملف} one {ملف واحد} two {ملفان} few {# ملفات} many {# ملفًا} other {# ملف}}، وتعذّر {failed}",
  "{files} damaged": "تالفة: {files}",
  "{files} locked by a password": "مقفلة بكلمة مرور: {files}",
  "{files} refused as archives": "أرشيفات مرفوضة: {files}",
  "{files} stopped by an error of Carrel": "أوقفها خطأ في Carrel: {files}",
  "{files} took too long to read": "استغرقت قراءتها وقتًا طويلًا: {files}",
  "{files} without text": "بلا نص: {files}",
  "Filter the library": "تصفية المكتبة",
  "In progress": "قيد التنفيذ",
  "Index again": "إعادة الفهرسة",
  "Index it again; the log has the details.": "أعد فهرسته؛ التفاصيل في السجل.",
  Indexing: "الفهرسة",
  "Indexing of the library": "فهرسة المكتبة",
  "Indexing of {name}": "فهرسة {name}",
  "It contains no text to search.": "لا يحتوي على نص للبحث.",
  "Keep the present filters as {name}": "حفظ عوامل التصفية الحالية باسم {name}",
  "Keep this view": "حفظ طريقة العرض هذه",
  Label: "وسم",
  "Label new uploads": "وسم المرفوعات الجديدة",
  "Label {files, plural, one {# file} other {# files}}":
    "وسم {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  Metadata: "البيانات الوصفية",
  "Name and labels": "الاسم والوسوم",
  "Names of fields, one in a line": "أسماء الحقول، واحد في كل سطر",
  "{name} could not be deleted: {problem}": "تعذّر حذف {name}: {problem}",
  "New context": "سياق جديد",
  "New name": "اسم جديد",
  "No files match these filters": "لا توجد ملفات تطابق عوامل التصفية هذه",
  "One by one, {limit} files can be chosen: the first of them are. For more, choose all that match: one job then goes by the filters.":
    "يمكن تحديد {limit} ملف واحدًا واحدًا: حُدِّدت أولها. للمزيد حدّد كل المطابقات: تسير المهمة عندئذ وفق عوامل التصفية.",
  "One by one, {limit} files can be chosen: the first of them are. For more, take away the part of the name and narrow the list by state, type, tag or context.":
    "يمكن تحديد {limit} ملف واحدًا واحدًا: حُدِّدت أولها. للمزيد أزل جزء الاسم وضيّق القائمة بالحالة أو النوع أو الوسم أو السياق.",
  "One field in a line, such as year: 2026": "حقل في كل سطر، مثل year: 2026",
  "One job works through every file that passes these filters. Files that come in later are left alone.":
    "تعالج مهمة واحدة كل ملف يجتاز عوامل التصفية هذه. تُترك الملفات التي ترد لاحقًا.",
  "Open it in its own program and save it again.": "افتحه في برنامجه واحفظه من جديد.",
  "{pages, plural, one {# page} other {# pages}}":
    "{pages, plural, zero {بلا صفحات} one {صفحة واحدة} two {صفحتان} few {# صفحات} many {# صفحة} other {# صفحة}}",
  "{pages, plural, one {# page} other {# pages}} read by OCR":
    "{pages, plural, zero {بلا صفحات} one {صفحة واحدة} two {صفحتان} few {# صفحات} many {# صفحة} other {# صفحة}} قُرئت بالتعرّف الضوئي",
  "{passages, plural, one {# passage} other {# passages}}":
    "{passages, plural, zero {بلا مقاطع} one {مقطع واحد} two {مقطعان} few {# مقاطع} many {# مقطعًا} other {# مقطع}}",
  "project-x": "project-x",
  Queued: "في الانتظار",
  "Queueing to be indexed: {done} of {total, plural, one {# file} other {# files}}":
    "جارٍ الإدراج للفهرسة: {done} من {total, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Re-index {name}": "إعادة فهرسة {name}",
  Reading: "جارٍ القراءة",
  "Reading images": "جارٍ قراءة الصور",
  "Remove the password and upload it again.": "أزل كلمة المرور وارفعه من جديد.",
  "Rename {name}": "إعادة تسمية {name}",
  Replace: "استبدال",
  "Retry failed": "إعادة محاولة الفاشلة",
  "{searchable} of {total, plural, one {# file} other {# files}} searchable":
    "{searchable} من {total, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}} قابلة للبحث",
  "Show failed": "عرض الفاشلة",
  Size: "الحجم",
  "Split it into smaller files.": "قسّمه إلى ملفات أصغر.",
  Splitting: "جارٍ التقسيم",
  "Stopped after {files, plural, one {# file} other {# files}}":
    "توقفت بعد {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  Storing: "جارٍ التخزين",
  Tag: "الوسم",
  "Tags and fields": "الوسوم والحقول",
  "Tags and fields come beside those that the files have; a field of the same name takes the place of the former one. What is left empty stays as it is.":
    "تُضاف الوسوم والحقول إلى ما لدى الملفات؛ ويحل الحقل ذو الاسم نفسه محل السابق. ما يُترك فارغًا يبقى كما هو.",
  "Tags and fields take the place of all that the files have. What is left empty stays as it is.":
    "تحل الوسوم والحقول محل كل ما لدى الملفات. ما يُترك فارغًا يبقى كما هو.",
  "The files lose these tags and fields, and keep the others. What is left empty stays as it is.":
    "تفقد الملفات هذه الوسوم والحقول وتحتفظ بالباقي. ما يُترك فارغًا يبقى كما هو.",
  "The library is empty": "المكتبة فارغة",
  "The list ends after {files, plural, one {# file} other {# files}}: narrow it by the filters to see the others.":
    "تنتهي القائمة بعد {files, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}: ضيّقها بعوامل التصفية لرؤية الباقي.",
  "They are gone from the library and from search, and cannot be brought back.":
    "تختفي من المكتبة ومن البحث ولا يمكن استعادتها.",
  "Unpack it and upload the files themselves.": "فك ضغطه وارفع الملفات نفسها.",
  Upload: "رفع",
  Uploads: "المرفوعات",
  View: "طريقة العرض",
  "View …": "طريقة العرض…",
  Views: "طرق العرض",
  "Views of the library": "طرق عرض المكتبة",
  "{waiting} in progress": "{waiting} قيد التنفيذ",
  "{warnings, plural, one {# warning} other {# warnings}}":
    "{warnings, plural, zero {بلا تحذيرات} one {تحذير واحد} two {تحذيران} few {# تحذيرات} many {# تحذيرًا} other {# تحذير}}",
  "Working: {done} of {total, plural, one {# file} other {# files}}":
    "جارٍ العمل: {done} من {total, plural, zero {# ملف} one {ملف واحد} two {ملفين} few {# ملفات} many {# ملفًا} other {# ملف}}",
  "Loading the library …": "جارٍ تحميل المكتبة…",
}
