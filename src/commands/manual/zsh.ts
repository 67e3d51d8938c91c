import type { Grammar, Place } from "./grammar.ts"
import type { Option, Value } from "./usage.ts"

/** A file \`_carrel\` of \`$fpath\`, which may be sourced as well. */
export function zsh({ commands, places }: Grammar): string {
  const withActions = commands.filter(({ actions }) => actions.length > 0)
  return `#compdef carrel
_carrel() {
    local -a commands=(
${commands.map(({ name, summary }) => `        ${quoted(`${name}:${summary}`)}`).join("\n")}
    )
    local -a actions
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        return
    fi
    local at=$words[2]
    case $at in
${withActions.map(({ name, actions }) => `    ${name}) actions=(${actions.join(" ")}) ;;`).join("\n")}
    esac
    if (( $#actions )); then
        if (( CURRENT == 3 )); then
            _describe -t actions action actions
            return
        fi
        at+=" $words[3]"
        shift words
        (( CURRENT-- ))
    fi
    shift words
    (( CURRENT-- ))
    case $at in
${places.map(placeCase).join("\n")}
    esac
}

if [[ $funcstack[1] == _carrel ]]; then
    _carrel "$@"
else
    compdef _carrel carrel
fi
`
}

function placeCase({ command, action, options, words }: Place): string {
  const specs = [...options.map(optionSpec), ...words.map(word => quoted(`*:${word.placeholder}:${actionOf(word)}`))]
  return `    ${quoted([command, action].filter(Boolean).join(" "))})
        _arguments \\
${specs.map(spec => `            ${spec}`).join(" \\\n")}
        ;;`
}

function optionSpec({ flag, value, doc }: Option): string {
  const explained = doc ? `[${escaped(doc)}]` : ""
  if (!value) return quoted(`${flag}${explained}`)
  return quoted(`*${flag}=${explained}:${escaped(value.placeholder)}:${actionOf(value)}`)
}

function actionOf({ kind, choices }: Value): string {
  if (kind === "choice") return `(${choices.join(" ")})`
  return kind === "file" ? "_files" : kind === "folder" ? "_files -/" : " "
}

const escaped = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&")
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
