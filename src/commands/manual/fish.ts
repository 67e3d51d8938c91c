import type { Grammar, Place } from "./grammar.ts"
import type { Value } from "./usage.ts"

/** For fish 3.4 and newer. */
export function fish({ commands, places }: Grammar): string {
  const lines = commands.flatMap(({ name, summary, actions }) => [
    `complete -c carrel -n __carrel_at -a ${name} -d ${quoted(summary)}`,
    ...(actions.length > 0 ? [`complete -c carrel -n '__carrel_at ${name}' -a '${actions.join(" ")}'`] : []),
  ])
  return `# Completion of carrel for fish.
# The words before the one that is completed begin with these; without any, there are none.
function __carrel_at
    set -l words (commandline -opc)[2..]
    if test (count $argv) -eq 0
        test (count $words) -eq 0
        return
    end
    test "$words[1..$(count $argv)]" = "$argv"
end

complete -c carrel -f
${[...lines, ...places.flatMap(placeLines)].join("\n")}
`
}

function placeLines({ command, action, options, words }: Place): string[] {
  const at = `complete -c carrel -n '__carrel_at ${[command, action].filter(Boolean).join(" ")}'`
  return [
    ...options.map(({ flag, value, doc }) =>
      [at, `-l ${flag.slice(2)}`, value ? offer(value, "-r") : "", doc ? `-d ${quoted(doc)}` : ""]
        .filter(Boolean)
        .join(" "),
    ),
    ...words.filter(({ kind }) => kind !== "text").map(word => `${at} ${offer(word, "")}`.trimEnd()),
  ]
}

function offer({ kind, choices }: Value, required: string): string {
  if (kind === "choice") return `${required && "-x "}-a '${choices.join(" ")}'`
  if (kind === "folder") return `${required && "-x "}-a '(__fish_complete_directories)'`
  return kind === "file" ? `${required} -F`.trim() : "-x"
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`
