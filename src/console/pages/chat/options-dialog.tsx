/** What the model of a conversation is told before the first message, and how it chooses its words. */
import { useState } from "preact/hooks"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Lines, TextField } from "../../ui/form.tsx"
import type { ChatSettings, Options } from "./settings.ts"

interface OptionsDialogProps {
  systemPrompt: string
  options: Options
  onSave: (change: Pick<ChatSettings, "systemPrompt" | "options">) => void
  onClose: () => void
}

/** With the bounds of the API. */
const NUMBERS = [
  ["temperature", "Temperature", "From 0, always the likeliest words, to 2", { min: 0, max: 2, step: "any" }],
  ["top_p", "Top P", "The likeliest words that make up this share, from 0 to 1", { min: 0, max: 1, step: "any" }],
  ["max_tokens", "Longest answer", "In tokens", { min: 1, max: 1_000_000, step: 1 }],
  ["seed", "Seed", "The same one gives the same answer again, where the model can", { step: 1 }],
] as const satisfies [keyof Options, Text, Text, object][]

type Typed = Record<(typeof NUMBERS)[number][0], string>

export function OptionsDialog({ systemPrompt, options, onSave, onClose }: OptionsDialogProps) {
  const [prompt, setPrompt] = useState(systemPrompt)
  const [typed, setTyped] = useState<Typed>(() => typedOf(options))
  const [stop, setStop] = useState(options.stop?.join("\n") ?? "")
  const save = async () => {
    onSave({ systemPrompt: prompt.trim(), options: optionsOf(typed, stop) })
    onClose()
  }
  return (
    <Dialog title={t("Instructions and options")} onClose={onClose}>
      <Form class="stack" action={{ run: save }}>
        <Lines
          label={t("Instructions")}
          hint={t("What the model is told before the first message: how to answer, for whom, in which tone.")}
          rows={6}
          value={prompt}
          onInput={setPrompt}
        />
        <div class="pair">
          {NUMBERS.map(([name, label, hint, bounds]) => (
            <TextField
              key={name}
              type="number"
              label={t(label)}
              hint={t(hint)}
              placeholder={t("As the model has it")}
              {...bounds}
              value={typed[name]}
              onInput={value => setTyped({ ...typed, [name]: value })}
            />
          ))}
        </div>
        <Lines
          label={t("Stop at")}
          hint={t("Words that end an answer, one a line; 16 at most.")}
          value={stop}
          onInput={setStop}
        />
        <p class="soft small">{t("They hold from the next message on, and stay with the conversation.")}</p>
        <footer class="row between">
          <Button
            onClick={() => {
              setPrompt("")
              setTyped(typedOf({}))
              setStop("")
            }}
          >
            {t("Clear all")}
          </Button>
          <Button kind="primary" type="submit">
            {t("Use")}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}

const typedOf = (options: Options): Typed =>
  Object.fromEntries(NUMBERS.map(([name]) => [name, String(options[name] ?? "")])) as Typed

function optionsOf(typed: Typed, stop: string): Options {
  const numbers = NUMBERS.flatMap(([name]) => (typed[name].trim() ? [[name, Number(typed[name])]] : []))
  const words = stop.split("\n").filter(line => line.trim() !== "")
  return { ...Object.fromEntries(numbers), ...(words.length > 0 ? { stop: words.slice(0, 16) } : {}) }
}
