import type { Same } from "../catalogue.ts"
import type { viewer as german } from "../de/viewer.ts"

export const viewer: Same<typeof german> = {
  "Copy the code": "نسخ الشيفرة",
  Document: "المستند",
  "Extracted text": "النص المستخرج",
  "Go to page": "الانتقال إلى صفحة",
  "Go to slide": "الانتقال إلى شريحة",
  "Loading the document …": "جارٍ تحميل المستند…",
  "Next mark": "العلامة التالية",
  "Next slide": "الشريحة التالية",
  "of {total}": "من {total}",
  "Page {page} of {name}": "الصفحة {page} من {name}",
  "Parts of the document": "أجزاء المستند",
  "Previous mark": "العلامة السابقة",
  "Previous slide": "الشريحة السابقة",
  Rows: "الصفوف",
  "Search in the document": "البحث في المستند",
  "Sheet {name}": "ورقة {name}",
  "Show what comes before": "عرض ما قبله",
  "Show what follows": "عرض ما يليه",
  "Source {number}": "المصدر {number}",
  "This document has been deleted, or you may not see it.": "حُذف هذا المستند أو لا يحق لك رؤيته.",
  "This value was replaced before the model saw it": "استُبدلت هذه القيمة قبل أن يراها النموذج",
}
