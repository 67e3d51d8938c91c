/** The languages of the console. Another one is a folder of texts and a line here. */
import type { Catalogue } from "./catalogue.ts"

interface Language {
  /** As it calls itself. */
  name: string
  direction: "ltr" | "rtl"
  /** What stands in `lang`, and what numbers and dates are written by. */
  tag: string
  /** English is the language of the keys and needs no texts. */
  load?: () => Promise<Catalogue>
}

export const LANGUAGES = {
  en: { name: "English", direction: "ltr", tag: "en" },
  de: { name: "Deutsch", direction: "ltr", tag: "de", load: async () => (await import("./de/index.ts")).texts },
  es: { name: "Español", direction: "ltr", tag: "es", load: async () => (await import("./es/index.ts")).texts },
  fr: { name: "Français", direction: "ltr", tag: "fr", load: async () => (await import("./fr/index.ts")).texts },
  zh: { name: "简体中文", direction: "ltr", tag: "zh-Hans", load: async () => (await import("./zh/index.ts")).texts },
  ar: { name: "العربية", direction: "rtl", tag: "ar", load: async () => (await import("./ar/index.ts")).texts },
} as const satisfies Record<string, Language>

export type LanguageCode = keyof typeof LANGUAGES
