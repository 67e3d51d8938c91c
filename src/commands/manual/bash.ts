import type { Grammar, Place } from "./grammar.ts"
import type { Option, Value } from "./usage.ts"

/** For bash 3.2 and newer, without the package bash-completion. */
export function bash({ commands, places }: Grammar): string {
  const withActions = commands.filter(({ actions }) => actions.length > 0)
  return `# Completion of carrel for bash.
_carrel_files() {
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$2"))
}

_carrel() {
    local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at=\${COMP_WORDS[1]} options="" words=""
    COMPREPLY=()
    # --name=value is three words.
    if [[ $word == = ]]; then
        word=""
    elif [[ $previous == = ]]; then
        previous=\${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$word"))
        return
    fi
    case $at in
${withActions.map(({ name, actions }) => `    ${name}) words="${actions.join(" ")}" ;;`).join("\n")}
    esac
    if [[ $words ]]; then
        if ((COMP_CWORD == 2)); then
            COMPREPLY=($(compgen -W "$words --help" -- "$word"))
            return
        fi
        at+=" \${COMP_WORDS[2]}"
        words=""
    fi
    case $at in
${places.map(placeCase).join("\n")}
    *) return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $words == -* ]]; then
        _carrel_files "$words" "$word"
    else
        COMPREPLY=($(compgen -W "\${words:-$options}" -- "$word"))
    fi
}

complete -F _carrel carrel
`
}

function placeCase({ command, action, options, words }: Place): string {
  const valued = options.flatMap(({ flag, value }) => (value ? [{ flag, value }] : []))
  const text = valued.filter(({ value }) => value.kind === "text")
  const offered = valued.filter(({ value }) => value.kind !== "text")
  const values = [
    ...(text.length > 0 ? [`        ${text.map(({ flag }) => flag).join(" | ")}) return ;;`] : []),
    ...offered.map(valueCase),
  ]
  return [
    `    "${[command, action].filter(Boolean).join(" ")}")`,
    ...(values.length > 0 ? ["        case $previous in", ...values, "        esac"] : []),
    `        options="${options.map(({ flag }) => flag).join(" ")}"`,
    `        words="${wordsOf(words)}"`,
    "        ;;",
  ].join("\n")
}

function valueCase({ flag, value }: { flag: Option["flag"]; value: Value }): string {
  const offer =
    value.kind === "choice"
      ? `COMPREPLY=($(compgen -W "${value.choices.join(" ")}" -- "$word"))`
      : `_carrel_files ${value.kind === "folder" ? "-d" : "-f"} "$word"`
  return `        ${flag}) ${offer}; return ;;`
}

/** Choices, or what \`compgen\` is told for files; empty where the word is the user's own. */
function wordsOf(words: Value[]): string {
  const choice = words.find(({ kind }) => kind === "choice")
  if (choice) return choice.choices.join(" ")
  return words.some(({ kind }) => kind === "file") ? "-f" : words.some(({ kind }) => kind === "folder") ? "-d" : ""
}
