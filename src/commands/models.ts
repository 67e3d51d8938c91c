import { createModels } from "../app.ts"
import { type Command, parseArguments, printJson, printTable } from "./command.ts"

export const run: Command = async args => {
  const { config, options } = parseArguments(args, { switches: ["json"] })
  const models = await createModels(config).list()
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
