import { VERSION } from "../native/version.ts"
import { type Command, parseArguments, print, refuseWords } from "./command.ts"

export const HELP = `Usage: carrel version

Prints the version, with the commit that the executable was built from.
`

export const run: Command = async args => {
  refuseWords(parseArguments(args, { settingsFile: false }).words)
  print(VERSION)
  return 0
}
