import type { Same } from "../catalogue.ts"
import type { doors as german } from "../de/doors.ts"

export const doors: Same<typeof german> = {
  "At least 8 characters. A few words make a better password than a few symbols.":
    "至少 8 个字符。用几个词语作密码比用几个符号更好。",
  "Create the administrator": "创建管理员",
  "For <strong/>. All browsers that are signed in with the old one are signed out.":
    "用于 <strong/>。所有使用旧密码登录的浏览器都会退出。",
  "Forgot your password? Whoever runs Carrel can set a new one with <code/>.":
    "忘记密码？Carrel 的运维人员可以用 <code/> 设置新密码。",
  "Go to sign-in": "前往登录",
  "It has been used, or Carrel is already set up.": "链接已使用，或 Carrel 已完成设置。",
  Join: "加入",
  "Join Carrel": "加入 Carrel",
  "Not set up yet": "尚未设置",
  "Set the password": "设置密码",
  "Set up Carrel": "设置 Carrel",
  "Sign in": "登录",
  "Sign in as a local administrator": "以本地管理员身份登录",
  "Sign in as a member": "以成员身份登录",
  "Sign in with {name}": "使用 {name} 登录",
  "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with":
    "此 Carrel 还没有管理员。运维人员可以在日志中找到一次性设置链接，或用以下命令生成新的链接",
  "This link does not work": "此链接无效",
  "You are invited to the workspace <strong/> as <strong2/>.": "您受邀以 <strong2/> 的身份加入工作区 <strong/>。",
  "You become the first administrator. Nobody else can use this link afterwards.":
    "您将成为第一位管理员。此后其他人无法再使用此链接。",
  "Your name": "您的姓名",
}
