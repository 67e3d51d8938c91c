import { flagOf, SETTINGS_FILE, shownSettings, unknownVariableText, variableOf } from "../config.ts"
import { SETTINGS } from "../config-settings.ts"
import { log } from "../log.ts"
import { type Command, parseArguments, print, printJson, printTable, refuseWords } from "./command.ts"

export const HELP = `Usage: carrel settings [--all] [--json] [--data DIR]
       carrel settings --template > DIR/${SETTINGS_FILE}

Shows the settings that are not at their default and where each comes from; --all shows the others as well. --template
prints a ${SETTINGS_FILE} with every setting, explained and commented out. The daemon reads the file when it starts, and every
command when it is called; none writes it.
`

export const run: Command = async args => {
  const { config, sources, words, options, unknown } = parseArguments(args, { switches: ["all", "json", "template"] })
  refuseWords(words)
  for (const variable of unknown) log.warn(unknownVariableText(variable))
  if (options.has("template")) {
    print(template())
    return 0
  }
  const rows = shownSettings({ config, sources }).filter(
    ({ name, source }) => options.has("all") || options.has("json") || name === "data" || source !== "default",
  )
  if (options.has("json")) printJson(Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest])))
  else
    printTable(
      ["SETTING", "VALUE", "FROM"],
      rows.map(({ name, value, source }) => [name, Array.isArray(value) ? value.join(",") : String(value), source]),
    )
  return 0
}

function template(): string {
  const entries = Object.entries(SETTINGS)
    .filter(([name]) => name !== "data")
    .map(
      ([name, setting]) =>
        `# ${setting.doc}\n# ${flagOf(name)}, ${variableOf(name)}\n# ${name} = ${JSON.stringify(setting.default)}\n`,
    )
  return `# Settings of Carrel, in its data directory: flags and environment variables win over this file.\n# Relative paths start at this file. Take the mark off a line to change it.\n\n${entries.join("\n")}`
}
