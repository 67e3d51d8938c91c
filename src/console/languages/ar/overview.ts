import type { Same } from "../catalogue.ts"
import type { overview as german } from "../de/overview.ts"

export const overview: Same<typeof german> = {
  "(done)": "(تم)",
  "Answers cite the passages they are based on.": "تستشهد الإجابات بالمقاطع التي بُنيت عليها.",
  "Ask it": "اسألها",
  "Connect a language model": "ربط نموذج لغوي",
  Disk: "القرص",
  "{done} of {total} done": "تم {done} من {total}",
  "Drop in documents, spreadsheets, images or archives.": "أسقط فيها مستندات أو جداول أو صورًا أو أرشيفات.",
  Embedding: "التضمين",
  "Fill the library": "املأ المكتبة",
  "First steps": "الخطوات الأولى",
  "{freeBytes} free": "{freeBytes} متاحة",
  Healthy: "سليم",
  "How to connect one": "كيف تربط نموذجًا",
  Index: "الفهرس",
  indexing: "قيد الفهرسة",
  "it failed": "فشلت",
  "Latest files": "أحدث الملفات",
  loaded: "محمَّل",
  "Many files of the source <bdi/> are gone at once. <link>Decide what becomes of them</link>":
    "اختفت ملفات كثيرة من المصدر <bdi/> دفعة واحدة. <link>قرّر مصيرها</link>",
  "Needs attention": "يحتاج إلى انتباه",
  "No API key of this workspace has been used in the last hour.":
    "لم يُستخدم أي مفتاح API لمساحة العمل هذه في الساعة الماضية.",
  "No language model is connected: answers are quotes from your files.":
    "لا يوجد نموذج لغوي متصل: الإجابات اقتباسات من ملفاتك.",
  "of {length} available": "من {length} متاحة",
  "{pending} in the queue": "{pending} في الانتظار",
  "{perMinute, plural, one {# request} other {# requests}}":
    "{perMinute, plural, zero {لا طلبات} one {طلب واحد} two {طلبان} few {# طلبات} many {# طلبًا} other {# طلب}}",
  queued: "في الانتظار",
  ready: "جاهز",
  "Requests in the last hour": "الطلبات في الساعة الماضية",
  "Requests per minute of {name}": "طلبات {name} في الدقيقة",
  searchable: "قابل للبحث",
  "{searchable, plural, one {# file} other {# files}} searchable":
    "{searchable, plural, zero {لا ملفات قابلة للبحث} one {ملف واحد قابل للبحث} two {ملفان قابلان للبحث} few {# ملفات قابلة للبحث} many {# ملفًا قابلًا للبحث} other {# ملف قابل للبحث}}",
  "The source <bdi/> could not be synced: {message}. <link>See the source</link>":
    "تعذّرت مزامنة المصدر <bdi/>: {message}. <link>عرض المصدر</link>",
  "The webhook <bdi/> was disabled: {reason}. <link>See webhooks</link>":
    "عُطِّل الخطاف <bdi/>: {reason}. <link>عرض الخطافات</link>",
  unavailable: "غير متاح",
  Uptime: "مدة التشغيل",
  Version: "الإصدار",
  "With a key of its own: curl, SDKs, OpenAI clients, assistants.":
    "بمفتاح خاص بها: curl وSDK وعملاء OpenAI والمساعدون.",
  "Without one, answers are quotes from your files.": "بدونه تكون الإجابات اقتباسات من ملفاتك.",
  Working: "قيد العمل",
}
