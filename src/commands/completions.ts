import { type Command, type Entry, parseArguments, print, UsageError } from "./command.ts"
import { bash } from "./manual/bash.ts"
import { fish } from "./manual/fish.ts"
import { type Grammar, grammarOf } from "./manual/grammar.ts"
import { zsh } from "./manual/zsh.ts"

const SHELLS: Record<string, (grammar: Grammar) => string> = { bash, zsh, fish }

const HELP = `Usage: carrel completions bash|zsh|fish

Prints what lets the shell complete commands, options and files. To have it in every shell:

  bash    carrel completions bash > ~/.local/share/bash-completion/completions/carrel
  zsh     carrel completions zsh > FOLDER/_carrel, a folder of $fpath
  fish    carrel completions fish > ~/.config/fish/completions/carrel.fish

The Debian package brings all three.
`

export const completionsOf = (commands: Record<string, Entry>): { HELP: string; run: Command } => ({
  HELP,
  async run(args) {
    const [shell = "", ...others] = parseArguments(args, { settingsFile: false }).words
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (!write || others.length > 0)
      throw new UsageError(`completions: for which shell? ${Object.keys(SHELLS).join(", ")}`)
    print(write(await grammarOf(commands)).trimEnd())
    return 0
  },
})
