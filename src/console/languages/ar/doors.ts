import type { Same } from "../catalogue.ts"
import type { doors as german } from "../de/doors.ts"

export const doors: Same<typeof german> = {
  "At least 8 characters. A few words make a better password than a few symbols.":
    "8 أحرف على الأقل. بضع كلمات كلمةُ مرور أفضل من بضعة رموز.",
  "Create the administrator": "إنشاء المسؤول",
  "For <strong/>. All browsers that are signed in with the old one are signed out.":
    "للحساب <strong/>. سيُسجَّل خروج كل المتصفحات التي سُجّل الدخول منها بكلمة المرور القديمة.",
  "Forgot your password? Whoever runs Carrel can set a new one with <code/>.":
    "نسيت كلمة المرور؟ يمكن لمن يدير Carrel تعيين جديدة بالأمر <code/>.",
  "Go to sign-in": "الانتقال إلى تسجيل الدخول",
  "It has been used, or Carrel is already set up.": "لقد استُخدم من قبل، أو أن Carrel مُعَدّ بالفعل.",
  Join: "انضمام",
  "Join Carrel": "الانضمام إلى Carrel",
  "Not set up yet": "لم يُعَدّ بعد",
  "Set the password": "تعيين كلمة المرور",
  "Set up Carrel": "إعداد Carrel",
  "Sign in": "تسجيل الدخول",
  "Sign in as a local administrator": "الدخول كمسؤول محلي",
  "Sign in as a member": "الدخول كعضو",
  "Sign in with {name}": "تسجيل الدخول عبر {name}",
  "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with":
    "ليس لخدمة Carrel هذه مسؤول بعد. يجد من يديرها رابط إعداد لمرة واحدة في السجل، أو ينشئ رابطًا جديدًا بالأمر",
  "This link does not work": "هذا الرابط لا يعمل",
  "You are invited to the workspace <strong/> as <strong2/>.": "أنت مدعو إلى مساحة العمل <strong/> بصفة <strong2/>.",
  "You become the first administrator. Nobody else can use this link afterwards.":
    "ستصبح المسؤول الأول. ولن يستطيع أحد غيرك استخدام هذا الرابط بعد ذلك.",
  "Your name": "اسمك",
}
