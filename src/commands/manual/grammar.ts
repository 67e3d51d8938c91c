/** The whole command line as completions need it: which words and options stand where. */
import type { Entry } from "../command.ts"
import { type Option, type Usage, usageOf, type Value } from "./usage.ts"

/** After a command, or after the action of one that has several. */
export interface Place {
  command: string
  action: string | undefined
  options: Option[]
  /** The words that are no options; all of one kind are one. */
  words: Value[]
}

export interface Grammar {
  commands: { name: string; summary: string; actions: string[] }[]
  places: Place[]
}

const HELP_OPTION: Option = { flag: "--help", value: undefined, doc: "say what it does and takes" }

export async function grammarOf(commands: Record<string, Entry>): Promise<Grammar> {
  const grammar: Grammar = { commands: [], places: [] }
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const usage = usageOf(name, (await load()).HELP)
    const actions = [...new Set(usage.forms.flatMap(({ action }) => action ?? []))]
    grammar.commands.push({ name, summary, actions })
    for (const action of actions.length > 0 ? actions : [undefined]) grammar.places.push(placeOf(name, action, usage))
  }
  const named = grammar.commands.map(({ name }) => name)
  const help = { placeholder: named.join("|"), kind: "choice", choices: named } as const
  grammar.commands.push({ name: "help", summary: "say what a command does and takes", actions: [] })
  grammar.places.push({ command: "help", action: undefined, options: [], words: [help] })
  return grammar
}

/** Of a command with actions an option belongs to those that name it; else to the command, wherever its help names it. */
function placeOf(command: string, action: string | undefined, { forms, options }: Usage): Place {
  const own = forms.filter(form => form.action === action)
  const taken = action === undefined ? options : own.flatMap(form => form.options)
  return {
    command,
    action,
    options: [...new Map([...taken, HELP_OPTION].map(each => [each.flag, each])).values()],
    words: [...new Map(own.flatMap(({ words }) => words).map(word => [word.kind, word])).values()],
  }
}
