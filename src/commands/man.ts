import { type Command, type Entry, parseArguments, print, refuseWords } from "./command.ts"
import { manualPage } from "./manual/page.ts"

const HELP = `Usage: carrel man

Prints the manual page, which \`man\` shows: carrel man > carrel.1 && man ./carrel.1. The Debian package brings it.
`

export const manualOf = (commands: Record<string, Entry>): { HELP: string; run: Command } => ({
  HELP,
  async run(args) {
    refuseWords(parseArguments(args, { settingsFile: false }).words)
    print((await manualPage(commands)).trimEnd())
    return 0
  },
})
