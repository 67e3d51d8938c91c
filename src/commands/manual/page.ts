/** `carrel(1)` in the language of `man`: the help texts of all commands, and the settings. */
import { flagOf, variableOf } from "../../config.ts"
import type { Setting } from "../../config-rules.ts"
import { SETTINGS } from "../../config-settings.ts"
import { VERSION } from "../../native/version.ts"
import type { Entry } from "../command.ts"
import { usageOf } from "./usage.ts"

/** Columns that a form of a command may take on a terminal of 80. */
const WIDTH = 66

export async function manualPage(commands: Record<string, Entry>): Promise<string> {
  const sections: string[] = []
  for (const [name, { summary, load }] of Object.entries(commands))
    sections.push(commandSection(name, summary, (await load()).HELP))
  return `.TH CARREL 1 "" "Carrel ${text(VERSION)}" "Carrel"
.SH NAME
carrel \\- an AI workspace that you run yourself
.SH SYNOPSIS
.B carrel
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
One executable gives an application models, file upload and indexing, a library, hybrid search, streamed chat, headless
agents and privacy redaction over HTTP, with a console, on one machine, offline.
.PP
.B carrel serve
is the daemon. The other commands work beside it, on the same data directory.
.SH COMMANDS
${sections.join("\n")}
.SH SETTINGS
Each is an option of
.BR "carrel serve" ,
a variable of the environment, and a line of
.I carrel.toml
in the data directory. The option wins over the variable, the variable over the file.
${Object.entries(SETTINGS).map(settingEntry).join("\n")}
.SH EXIT STATUS
0 done, 1 not done or problems found, 2 wrong usage or a wrong setting. Commands that have others say so.
.SH FILES
.TP
.I carrel.toml
in the data directory: settings. In the Debian package it leads to
.IR /etc/carrel/carrel.toml .
.TP
.I /etc/carrel/carrel.env
variables of the daemon alone, in the Debian package.
.TP
.I /var/lib/carrel
the data directory of the Debian package.
`
}

function commandSection(name: string, summary: string, help: string): string {
  const { forms, paragraphs } = usageOf(name, help)
  return [
    `.SS "carrel ${text(name)}"`,
    `${text(summary[0]!.toUpperCase() + summary.slice(1))}.`,
    ".PP",
    ".nf",
    ...forms.flatMap(form => wrapped(form.text)).map(line => `.B "${text(line).replaceAll('"', "\\(dq")}"`),
    ".fi",
    // Its options are the settings, which have a section of their own.
    ...paragraphs.filter(paragraph => !/^ {2}--data DIR\n/.test(paragraph)).map(paragraphOf),
  ].join("\n")
}

function paragraphOf(paragraph: string): string {
  if (!paragraph.startsWith("  ")) return `.PP\n${text(paragraph)}`
  const entries = paragraph.replace(/\n {4,}/g, "  ").split("\n")
  return entries
    .map(entry => {
      const [head = "", ...rest] = entry.trim().split(/ {2,}/)
      return `.TP\n.B "${text(head)}"\n${text(rest.join(" "))}`
    })
    .join("\n")
}

function settingEntry([name, setting]: [string, Setting<never> | (typeof SETTINGS)[keyof typeof SETTINGS]]): string {
  const { placeholder, doc, alias } = setting as Setting<unknown>
  const variables = [variableOf(name), ...(alias ? [alias] : [])].join(" or ")
  return `.TP
.B "${text(flagOf(name))}${placeholder ? ` ${text(placeholder)}` : ""}"
${text(doc)} (${text(variables)})`
}

/** A form on lines that fit a terminal; an option stays with its value. */
function wrapped(form: string): string[] {
  const lines: string[] = []
  for (const part of form.match(/\[[^\]]*\]|--\S+ \S+|\S+/g)!) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length < WIDTH) lines[lines.length - 1] = `${last} ${part}`
    else lines.push(lines.length > 0 ? `    ${part}` : part)
  }
  return lines
}

/** Signs that mean something to `man` as they are, and those beyond ASCII by their code points. */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga")
    .replaceAll("'", "\\(aq")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replace(/^[.]/gm, "\\&$&")
    .replace(/[^\0-\x7f]/gu, sign => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`)
