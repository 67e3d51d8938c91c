import { LANGUAGES, type LanguageCode } from "../languages/languages.ts"
import { chooseLanguage, t, useLanguage } from "../text.ts"
import { Select } from "./form.tsx"

const OPTIONS = Object.entries(LANGUAGES).map(([code, { name }]) => [code as LanguageCode, name] as const)

/** Kept in the browser, like the colors. */
export function LanguageChoice({ compact = false }: { compact?: boolean }) {
  const chosen = useLanguage()
  return (
    <Select
      compact={compact}
      label={t("Language")}
      value={chosen}
      options={OPTIONS}
      onChange={next => void chooseLanguage(next)}
    />
  )
}
