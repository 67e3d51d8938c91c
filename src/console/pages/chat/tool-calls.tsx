/** What a reply asked of tools: a folded line for each call, which opens to what was asked and what came back. */
import { count } from "../../format.ts"
import type { ToolCall } from "../../reply.ts"
import { t } from "../../text.ts"
import type { AnswerRecord } from "../../wire.ts"
import { useFileNames } from "./file-names.ts"

type Words = (call: ToolCall, fileName: string | undefined) => string

interface ToolWords {
  /** While it works, when it is done, and when it could not. */
  begun: Words
  done: Words
  failed: Words
  /** What was asked, where arguments as JSON are hard to read. */
  asked?: (args: ToolCall["arguments"]) => string
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
/** A file and a page of it, as far as they are known. */
const placeIn = ({ arguments: { page } }: ToolCall, name = t("a file")): string =>
  typeof page === "number" ? t("{name}, page {page}", { name, page: count(page) }) : name

const TOOLS: Record<string, ToolWords> = {
  query_table: {
    begun: (_, name = t("a table")) => t("Querying {name} …", { name }),
    done: (call, name = t("a table")) =>
      [t("Queried {name}", { name }), rowsIn(call.result ?? "")].filter(Boolean).join(": "),
    failed: (_, name = t("a table")) => t("Could not query {name}", { name }),
    asked: args => [textOf(args.sql), args.sheet ? `-- sheet ${textOf(args.sheet)}` : ""].filter(Boolean).join("\n"),
  },
  calculate: {
    begun: () => t("Calculating …"),
    done: ({ arguments: { expression }, result }) =>
      t("Calculated {sum}", { sum: `${textOf(expression)} = ${result}` }),
    failed: ({ arguments: { expression } }) => t("Could not calculate {sum}", { sum: textOf(expression) }),
    asked: args => textOf(args.expression),
  },
  read_file: {
    begun: (call, name) => t("Reading {name} …", { name: placeIn(call, name) }),
    done: (call, name) => t("Read {name}", { name: placeIn(call, name) }),
    failed: (call, name) => t("Could not read {name}", { name: placeIn(call, name) }),
  },
}

const OTHER: ToolWords = {
  begun: ({ name }) => t("Using {name} …", { name }),
  done: ({ name }) => t("Used {name}", { name }),
  failed: ({ name }) => t("{name} failed", { name }),
}

/** How many rows a query gave, as its result says it. */
function rowsIn(result: string): string | undefined {
  const [, first, found] = /^Result: (the first )?(\d+) rows/m.exec(result) ?? []
  if (found === undefined) return undefined
  const rows = Number(found)
  return first
    ? t("the first {rows, plural, one {# row} other {# rows}}", { rows })
    : t("{rows, plural, one {# row} other {# rows}}", { rows })
}

const wordsOf = ({ name }: ToolCall): ToolWords => (Object.hasOwn(TOOLS, name) ? TOOLS[name]! : OTHER)

function lineOf(call: ToolCall, fileName: string | undefined): string {
  const words = wordsOf(call)
  return (call.result === undefined ? words.begun : call.isError ? words.failed : words.done)(call, fileName)
}

const fileOf = ({ arguments: { file_id } }: ToolCall): string => (typeof file_id === "string" ? file_id : "")

export function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  const names = useFileNames(calls.map(fileOf).filter(Boolean))
  if (calls.length === 0) return null
  return (
    <ul class="calls" aria-label={t("Tools used")}>
      {calls.map(call => (
        <li key={call.id}>
          <details class="fold">
            <summary>
              <span class="name" dir="auto">
                {lineOf(call, names.get(fileOf(call)))}
              </span>
              {call.isError && <span class="badge bad">{t("Error")}</span>}
            </summary>
            <Call call={call} />
          </details>
        </li>
      ))}
    </ul>
  )
}

/** Those of a stored answer; what came from files that are gone since is not there. */
export const callsOf = ({ tool_calls }: Pick<AnswerRecord, "tool_calls">): ToolCall[] =>
  tool_calls.map(({ id, name, arguments: args, result, is_error }) => ({
    ...{ id, name, arguments: args },
    result: result ?? t("What it gave is no longer kept."),
    isError: is_error,
  }))

const Call = ({ call }: { call: ToolCall }) => (
  <div class="stack">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
    <pre class="code wrap" tabIndex={0}>
      {wordsOf(call).asked?.(call.arguments) ?? JSON.stringify(call.arguments, null, 2)}
    </pre>
    {call.result !== undefined && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      <pre class="code wrap" dir="auto" tabIndex={0}>
        {call.result}
      </pre>
    )}
  </div>
)
