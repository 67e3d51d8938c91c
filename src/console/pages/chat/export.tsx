/** A conversation to take along: as a Markdown file, or on paper and as a PDF by the browser's own printing. */
import { placeOf } from "../../format.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import type { Conversation, Message } from "../../wire.ts"

export function Export({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  return (
    <Dialog title={t("Export")} onClose={onClose}>
      <div class="stack">
        <Button icon="download" onClick={() => save(conversation)}>
          {t("Markdown file")}
        </Button>
        <Button
          icon="file"
          onClick={() => {
            onClose()
            requestAnimationFrame(() => print()) // once the dialog is gone from the page
          }}
        >
          {t("Print, or save as PDF")}
        </Button>
        <p class="soft small">{t("For a link that people of this Carrel can open, use Share.")}</p>
      </div>
    </Dialog>
  )
}

function save(conversation: Conversation): void {
  const url = URL.createObjectURL(new Blob([markdownOf(conversation)], { type: "text/markdown" }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${conversation.title.replace(/[\p{C}\\/:*?"<>|]+/gu, " ").trim() || t("conversation")}.md`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}

const markdownOf = ({ title, messages }: Conversation): string =>
  [`# ${title}`, ...messages.map(sectionOf)].join("\n\n").concat("\n")

/** Citations stand behind an answer, under the numbers that it has them by. */
function sectionOf({ role, content, model, citations }: Message): string {
  if (role === "user") return `## ${t("Question")}\n\n${content}`
  const sources = citations.map(
    ({ index, name, position }) => `- [${index}] ${[name, placeOf(position)].filter(Boolean).join(", ")}`,
  )
  return [
    `## ${t("Answer ({model})", { model })}`,
    content,
    ...(sources.length > 0 ? [`${t("Sources:")}\n${sources.join("\n")}`] : []),
  ].join("\n\n")
}
