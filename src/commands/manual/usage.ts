/**
 * What a command takes, read from its help text, so that completions and manual say what `--help` says. A help text is
 * usage lines (`Usage: carrel keys create --name NAME [--json]   what this form does`), an empty line, and paragraphs;
 * lines such as `  --check   compare only` explain options. Words in capitals stand for values, `a|b` for a choice.
 */
import { flagOf } from "../../config.ts"
import type { Setting } from "../../config-rules.ts"
import { SETTINGS } from "../../config-settings.ts"

/** What stands where a value is expected. */
export interface Value {
  /** As the help writes it: `FILE`, `auto|fast`. */
  placeholder: string
  kind: "file" | "folder" | "choice" | "text"
  /** Of a choice; else empty. */
  choices: string[]
}

export interface Option {
  /** With its dashes. */
  flag: string
  /** Undefined for a switch. */
  value: Value | undefined
  /** Empty where the help explains it in prose. */
  doc: string
}

/** One way to call a command. */
export interface Form {
  /** The word after the command, such as `create` of `carrel keys create`; undefined for commands that have none. */
  action: string | undefined
  /** As it is typed, from `carrel` on. */
  text: string
  doc: string
  options: Option[]
  words: Value[]
}

export interface Usage {
  forms: Form[]
  /** All paragraphs after the usage lines, as they are written. */
  paragraphs: string[]
  /** Those of the forms, and those that the paragraphs name. */
  options: Option[]
}

const FLAG = /--[a-z][a-z-]*[a-z]/
const PLACEHOLDER = /[A-Z][A-Z_]*\b(?!:)|[a-z]+(?:[|,][a-z]+)+/
const OPTION = new RegExp(`(${FLAG.source})(?:[ =](${PLACEHOLDER.source}))?`, "g")
const EXPLAINED = new RegExp(`^ {2}(${FLAG.source})(?: (${PLACEHOLDER.source}))?(?: {2,}|\\n +)(\\S.*)$`, "gm")

/** @param name of the command; forms of others in the same help are left out */
export function usageOf(name: string, help: string): Usage {
  const [head = "", ...paragraphs] = help.trimEnd().split("\n\n")
  const explained = new Map(
    [...paragraphs.join("\n\n").matchAll(EXPLAINED)].map(([, flag, placeholder, doc]) => [
      flag!,
      option(flag!, placeholder, doc!),
    ]),
  )
  const forms = entriesOf(head)
    .filter(({ text }) => text === `carrel ${name}` || text.startsWith(`carrel ${name} `))
    .map(entry => formOf(name, entry, explained))
  const named = [...explained.keys(), ...[...paragraphs.join("\n\n").matchAll(OPTION)].map(([, flag]) => flag!)]
  const known = new Map(forms.flatMap(form => form.options).map(each => [each.flag, each]))
  for (const flag of named) {
    const found = known.get(flag) ?? explained.get(flag) ?? settingOption(flag)
    if (found) known.set(flag, found)
  }
  return { forms, paragraphs, options: [...known.values()] }
}

/** The usage lines, each whole: a line that goes on begins with an option, one that explains with a word. */
function entriesOf(head: string): { text: string; doc: string }[] {
  const entries: { text: string; doc: string }[] = []
  for (const line of head.replace("Usage: ", "       ").split("\n")) {
    const [text = "", doc = ""] = line.trim().split(/ {2,}/)
    const last = entries.at(-1)
    if (text.startsWith("carrel ")) entries.push({ text, doc })
    else if (last && /^[[-]/.test(text)) last.text += ` ${text}`
    else if (last) last.doc = `${last.doc} ${text}`.trim()
  }
  return entries
}

function formOf(name: string, { text, doc }: { text: string; doc: string }, explained: Map<string, Option>): Form {
  const [taken = ""] = text.slice(`carrel ${name}`.length).split(" > ")
  const options = [...taken.matchAll(OPTION)].map(([, flag, placeholder]) => {
    const { doc } = explained.get(flag!) ?? settingOption(flag!) ?? { doc: "" }
    return option(flag!, placeholder, doc)
  })
  const words = taken.replace(OPTION, "").match(/[\w|-]*\w/g) ?? []
  const action = /^[a-z-]+$/.test(words[0] ?? "") ? words.shift() : undefined
  return { action, text, doc, options, words: words.filter(word => word !== "OPTIONS").map(value) }
}

function settingOption(flag: string): Option | undefined {
  const found = Object.entries(SETTINGS).find(([name]) => flagOf(name) === flag)
  if (!found) return undefined
  const { placeholder, doc } = found[1] as Setting<unknown>
  return option(flag, placeholder, doc)
}

const option = (flag: string, placeholder: string | undefined, doc: string): Option => ({
  flag,
  value: placeholder === undefined ? undefined : value(placeholder),
  doc,
})

function value(placeholder: string): Value {
  const choices = placeholder.includes("|") ? placeholder.split("|") : []
  return { placeholder, choices, kind: choices.length > 0 ? "choice" : (KINDS[placeholder] ?? "text") }
}

const KINDS: Record<string, Value["kind"]> = {
  DIR: "folder",
  SCRATCH: "folder",
  FILE: "file",
  NEW: "file",
  OLD: "file",
  PLACE: "file",
}
