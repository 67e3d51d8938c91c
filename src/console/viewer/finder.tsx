import { count } from "../format.ts"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"

interface FinderProps {
  words: string
  onWords: (words: string) => void
  /** The mark that is shown, from 0. */
  at: number
  of: number
  onGo: (at: number) => void
}

/** Searches within the document, and leads from mark to mark. */
export function Finder({ words, onWords, at, of, onGo }: FinderProps) {
  const go = (by: number) => of > 0 && onGo((at + by + of) % of)
  return (
    <div class="finder">
      <input
        class="input"
        type="search"
        dir="auto"
        aria-label={t("Search in the document")}
        placeholder={t("Search in the document")}
        value={words}
        onInput={event => onWords(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === "Enter" && !event.isComposing) go(event.shiftKey ? -1 : 1)
          if (event.key !== "Escape" || words === "") return
          event.preventDefault() // it empties the field; what lies around it stays open
          event.stopPropagation()
          onWords("")
        }}
      />
      <span class="soft small" role="status">
        {of > 0
          ? t("{number} of {total}", { number: count(at + 1), total: count(of) })
          : words.trim() && t("Not found")}
      </span>
      <Button kind="quiet" icon="back" label={t("Previous mark")} disabled={of < 2} onClick={() => go(-1)} />
      <Button kind="quiet" icon="forward" label={t("Next mark")} disabled={of < 2} onClick={() => go(1)} />
    </div>
  )
}
