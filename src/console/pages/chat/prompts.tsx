/** Prompts that the reader keeps: offered while `/name` is typed, and in a dialog that also keeps and deletes them. */
import { useLayoutEffect, useState } from "preact/hooks"
import type { SavedPrompt } from "../../../chat/saved-prompts.ts"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Lines, Problem, TextField } from "../../ui/form.tsx"

const MAX_OFFERED = 6

interface PromptsProps {
  /** Begin of a name that is being typed; undefined for none. */
  named: string | undefined
  /** The text that Enter takes. */
  offered: { current: string | undefined }
  /** Of the message that is being written. */
  text: string
  onChoose: (text: string) => void
  /** Undefined while the dialog is not open. */
  onClose: (() => void) | undefined
}

export function Prompts({ named, offered, text, onChoose, onClose }: PromptsProps) {
  const { data: prompts = [], reload } = useLoaded(
    "prompts",
    async signal => (await api.get<{ data: SavedPrompt[] }>("/keys/prompts", signal)).data,
  )
  const fitting = named === undefined ? [] : prompts.filter(({ name }) => name.startsWith(named)).slice(0, MAX_OFFERED)
  useLayoutEffect(() => {
    offered.current = fitting[0]?.text
    return () => {
      offered.current = undefined
    }
  })
  if (onClose) return <PromptsDialog {...{ prompts, text, onChoose, onClose }} onChanged={reload} />
  if (fitting.length === 0) return null
  return (
    <ul class="labels" aria-label={t("Prompts")}>
      {fitting.map(prompt => (
        <li key={prompt.name}>
          <button type="button" class="label" title={prompt.text} onClick={() => onChoose(prompt.text)}>
            /<bdi>{prompt.name}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface PromptsDialogProps {
  prompts: readonly SavedPrompt[]
  text: string
  onChoose: (text: string) => void
  onChanged: () => void
  onClose: () => void
}

function PromptsDialog({ prompts, text: written, onChoose, onChanged, onClose }: PromptsDialogProps) {
  const [name, setName] = useState("")
  const [text, setText] = useState(written)
  const keep = useAction(async () => {
    await api.put(`/keys/prompts/${encodeURIComponent(name.trim())}`, { text })
    setName("")
    setText("")
    onChanged()
  })
  const remove = useAction(async (old: string) => {
    await api.delete(`/keys/prompts/${encodeURIComponent(old)}`)
    onChanged()
  })
  return (
    <Dialog title={t("Prompts")} onClose={onClose}>
      <div class="stack">
        <p>
          {t(
            "Type / and a name to use one, by itself or behind other words. Only you see them, in every browser that you sign in with.",
          )}
        </p>
        <ul class="list" aria-label={t("Kept prompts")}>
          {prompts.map(prompt => (
            <li key={prompt.name} class="row between">
              <span class="grow name" title={prompt.text}>
                /<bdi>{prompt.name}</bdi> <bdi class="soft small">{prompt.text}</bdi>
              </span>
              <Button onClick={() => onChoose(prompt.text)}>{t("Use")}</Button>
              <Button
                kind="quiet"
                icon="trash"
                label={t("Delete the prompt {name}", { name: prompt.name })}
                onClick={() => void remove.run(prompt.name)}
              />
            </li>
          ))}
        </ul>
        <Problem error={remove.error} />
        <Form class="stack" action={keep}>
          <TextField
            label={t("Name")}
            name="name"
            hint={t("A word without blanks")}
            required
            value={name}
            onInput={setName}
          />
          <Lines label={t("Text")} name="text" required rows={4} value={text} onInput={setText} error={keep.error} />
          <Problem error={keep.error} />
          <footer class="row end">
            <Button kind="primary" type="submit" busy={keep.busy}>
              {t("Keep")}
            </Button>
          </footer>
        </Form>
      </div>
    </Dialog>
  )
}
