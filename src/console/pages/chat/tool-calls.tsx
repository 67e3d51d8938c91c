/** What a reply asked of tools: a folded line for each call, which opens to what was asked and what came back. */
import { plural } from "../../format.ts"
import type { ToolCall } from "../../reply.ts"
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
const pageOf = ({ arguments: { page } }: ToolCall): string => (typeof page === "number" ? `, page ${page}` : "")

const TOOLS: Record<string, ToolWords> = {
  query_table: {
    begun: (_, name) => `Querying ${name ?? "a table"} …`,
    done: (call, name) => [`Queried ${name ?? "a table"}`, rowsIn(call.result ?? "")].filter(Boolean).join(": "),
    failed: (_, name) => `Could not query ${name ?? "a table"}`,
    asked: args => [textOf(args.sql), args.sheet ? `-- sheet ${textOf(args.sheet)}` : ""].filter(Boolean).join("\n"),
  },
  calculate: {
    begun: () => "Calculating …",
    done: ({ arguments: { expression }, result }) => `Calculated ${textOf(expression)} = ${result}`,
    failed: ({ arguments: { expression } }) => `Could not calculate ${textOf(expression)}`,
    asked: args => textOf(args.expression),
  },
  read_file: {
    begun: (call, name) => `Reading ${name ?? "a file"}${pageOf(call)} …`,
    done: (call, name) => `Read ${name ?? "a file"}${pageOf(call)}`,
    failed: (call, name) => `Could not read ${name ?? "a file"}${pageOf(call)}`,
  },
}

const OTHER: ToolWords = {
  begun: ({ name }) => `Using ${name} …`,
  done: ({ name }) => `Used ${name}`,
  failed: ({ name }) => `${name} failed`,
}

/** How many rows a query gave, as its result says it. */
function rowsIn(result: string): string | undefined {
  const [, first, rows] = /^Result: (the first )?(\d+) rows/m.exec(result) ?? []
  return rows === undefined ? undefined : `${first ? "the first " : ""}${plural(Number(rows), "row")}`
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
    <ul class="calls" aria-label="Tools used">
      {calls.map(call => (
        <li key={call.id}>
          <details class="fold">
            <summary>
              <span class="name">
                <bdi>{lineOf(call, names.get(fileOf(call)))}</bdi>
              </span>
              {call.isError && <span class="badge bad">Error</span>}
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
    result: result ?? "What it gave is no longer kept.",
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
