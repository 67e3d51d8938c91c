import type { ComponentChildren } from "preact"
import { count, dateTime, duration, plural } from "../../../format.ts"
import { RedactedChip } from "../../../markdown.tsx"
import type { AnswerRecord } from "../../../wire.ts"
import { useFileNames } from "../file-names.ts"

const READINGS = { auto: "as the question needs it", passages: "passages only", whole: "whole files" }
const HISTORIES = { summarize: "summarized", truncate: "left out" }

/** Model, times, what was searched and how much was redacted; the settings behind a fold. */
export const Facts = ({ record }: { record: AnswerRecord }) => {
  const { model, timings, usage, query } = record
  return (
    <>
      <dl class="facts">
        <Fact name="Model">
          {model.value}
          {!model.local && " (not on this network)"}
        </Fact>
        <Fact name="Made">{dateTime(record.created_at)}</Fact>
        <Fact name="Took">
          {duration(timings.total_ms)}
          {timings.search_ms > 0 && `, ${duration(timings.search_ms)} of it to ${query ? "search" : "read the files"}`}
          {timings.first_token_ms > 0 && `; first word after ${duration(timings.first_token_ms)}`}
        </Fact>
        {usage.prompt_tokens > 0 && (
          <Fact name="Tokens">
            {count(usage.prompt_tokens)} read, {count(usage.completion_tokens)} written
          </Fact>
        )}
        <Fact name="Scope">
          <Scope record={record} />
        </Fact>
        {query && (
          <Fact name="Searched for">
            <q dir="auto">{query.text}</q>
            {query.rewritten && " (the model's words)"}
          </Fact>
        )}
        <Fact name="Redaction">
          <Redaction redaction={record.redaction} />
        </Fact>
      </dl>
      <details class="fold">
        <summary>Settings in force</summary>
        <Settings record={record} />
      </details>
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

function Scope({ record: { options, scope, filter } }: { record: AnswerRecord }) {
  const fileIds = scope.file_ids ?? []
  const names = useFileNames(fileIds.slice(0, 3))
  if (!options.use_library) return <>No library</>
  const named = [...names.values()].join(", ")
  const files =
    fileIds.length === 0
      ? null
      : fileIds.length <= 3 && named
        ? `Only ${named}`
        : `Only ${plural(fileIds.length, "file")}`
  return (
    <bdi>
      {files ?? (scope.context_id ? `The context ${scope.context_id}` : "Whole library")}
      {filter && ", filtered"}
    </bdi>
  )
}

function Redaction({ redaction: { on, kinds, count: replaced } }: Pick<AnswerRecord, "redaction">) {
  if (!on) return <>Off</>
  if (replaced === 0) return <>On; nothing had to be replaced</>
  return (
    <span class="labels">
      {plural(replaced, "value")} replaced
      {Object.entries(kinds).map(([kind, times]) => (
        <RedactedChip key={kind} kind={kind} times={times} />
      ))}
    </span>
  )
}

/** Options that a model has by itself where nobody chose. */
const OPTIONS = [
  ["temperature", "Temperature"],
  ["top_p", "Top p"],
  ["max_tokens", "Longest answer, in tokens"],
  ["seed", "Seed"],
] as const

function Settings({ record: { options, prompt_version, index_generation: index, prompt } }: { record: AnswerRecord }) {
  return (
    <dl class="facts">
      {OPTIONS.map(([key, name]) => (
        <Fact key={key} name={name}>
          {options[key] ?? "the model's own"}
        </Fact>
      ))}
      {options.context_tokens !== null && <Fact name="Window">{plural(options.context_tokens, "token")}</Fact>}
      <Fact name="Files are read">{READINGS[options.reading]}</Fact>
      <Fact name="Tools lent">{options.tools.join(", ").replaceAll("_", " ") || "none"}</Fact>
      <Fact name="Older messages">{HISTORIES[options.history]}</Fact>
      <Fact name="Thinking">{options.thinking ? "on" : "off"}</Fact>
      {index && (
        <Fact name="Index">
          {index.embedding_model}, {count(index.vectors.done)} of {plural(index.vectors.total, "vector")} (
          {index.vectors.tier}){index.degraded && `; ${index.degraded.replaceAll("_", " ")}`}
        </Fact>
      )}
      <Fact name="Prompts">{prompt_version}</Fact>
      {prompt && <Fact name="Digest of the prompt">{prompt.sha256}</Fact>}
    </dl>
  )
}
