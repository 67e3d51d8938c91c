import { createModels } from "../configured.ts"
import { type Command, parseArguments, printJson, printTable, refuseWords } from "./command.ts"

export const HELP = `Usage: carrel models [--json] [--ollama-host URL] [--openai-base-url URL]

Lists the chat models, whether they answer now, and why not. Needs no daemon.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { switches: ["json"] })
  refuseWords(words)
  const models = await createModels(config).list(null)
  if (options.has("json")) printJson(models)
  else
    printTable(
      ["MODEL", "STATUS", "CAPABILITIES", "CONTEXT", "WHY"],
      models.map(model => [
        model.value,
        model.status,
        model.capabilities.join(","),
        model.context_length,
        model.status_reason,
      ]),
    )
  return 0
}
