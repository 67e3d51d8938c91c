import type { ComponentChildren } from "preact"
import { count, dateTime, duration, inRow } from "../../../format.ts"
import { Replaced } from "../../../markdown.tsx"
import { type Text, t } from "../../../text.ts"
import { toolName } from "../../../tool-names.ts"
import type { AnswerRecord } from "../../../wire.ts"
import { useFileNames } from "../file-names.ts"
import { countedKinds } from "../hidden-values.tsx"

const READINGS = {
  auto: "as the question needs it",
  passages: "passages only",
  whole: "whole files",
} as const satisfies Record<string, Text>
const HISTORIES = { summarize: "summarized", truncate: "left out" } as const satisfies Record<string, Text>

/** Model, times, what was searched and how much was redacted; the settings behind a fold. */
export const Facts = ({ record }: { record: AnswerRecord }) => {
  const { model, usage, query } = record
  return (
    <>
      <dl class="facts">
        <Fact name={t("Model")}>
          {model.value}
          {!model.local && ` (${t("not on this network")})`}
        </Fact>
        <Fact name={t("Made")}>{dateTime(record.created_at)}</Fact>
        <Fact name={t("Took")}>{timesOf(record)}</Fact>
        {usage.prompt_tokens > 0 && (
          <Fact name={t("Tokens")}>
            {t("{read} read, {written} written", {
              read: count(usage.prompt_tokens),
              written: count(usage.completion_tokens),
            })}
          </Fact>
        )}
        <Fact name={t("Scope")}>
          <Scope record={record} />
        </Fact>
        {query && (
          <Fact name={t("Searched for")}>
            <q dir="auto">
              <Replaced text={query.text} />
            </q>
            {query.rewritten && ` (${t("the model’s words")})`}
          </Fact>
        )}
        <Fact name={t("Redaction")}>
          <Redaction redaction={record.redaction} />
        </Fact>
      </dl>
      <details class="fold">
        <summary>{t("Settings in force")}</summary>
        <Settings record={record} />
      </details>
    </>
  )
}

/** How long it took, and what for. */
function timesOf({ timings: { total_ms, search_ms, first_token_ms }, query }: AnswerRecord): string {
  const time = { time: duration(search_ms) }
  const parts = [
    duration(total_ms),
    search_ms > 0 && (query ? t("{time} of it to search", time) : t("{time} of it to read the files", time)),
    first_token_ms > 0 && t("first word after {time}", { time: duration(first_token_ms) }),
  ]
  return inRow(parts)
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
  if (!options.use_library) return <>{t("No library")}</>
  const named = [...names.values()].join(", ")
  const files =
    fileIds.length === 0
      ? null
      : fileIds.length <= 3 && named
        ? t("Only {name}", { name: named })
        : t("Only {files, plural, one {# file} other {# files}}", { files: fileIds.length })
  return (
    <bdi>
      {files ?? (scope.context_id ? t("The context {context}", { context: scope.context_id }) : t("Whole library"))}
      {filter && ` (${t("filtered")})`}
    </bdi>
  )
}

function Redaction({ redaction: { on, kinds, count: replaced } }: Pick<AnswerRecord, "redaction">) {
  if (!on) return <>{t("Off")}</>
  if (replaced === 0) return <>{t("On; nothing had to be replaced")}</>
  return (
    <>
      {t("{values, plural, one {# value} other {# values}} replaced", { values: replaced })}: {countedKinds(kinds)}
    </>
  )
}

/** Options that a model has by itself where nobody chose. */
const OPTIONS = [
  ["temperature", "Temperature"],
  ["top_p", "Top p"],
  ["max_tokens", "Longest answer, in tokens"],
  ["seed", "Seed"],
] as const satisfies [string, Text][]

function Settings({ record: { options, prompt_version, index_generation: index, prompt } }: { record: AnswerRecord }) {
  return (
    <dl class="facts">
      {OPTIONS.map(([key, name]) => (
        <Fact key={key} name={t(name)}>
          {options[key] ?? t("the model’s own")}
        </Fact>
      ))}
      {options.context_tokens !== null && (
        <Fact name={t("Window")}>
          {t("{tokens, plural, one {# token} other {# tokens}}", { tokens: options.context_tokens })}
        </Fact>
      )}
      <Fact name={t("Files are read")}>{t(READINGS[options.reading])}</Fact>
      <Fact name={t("Tools lent")}>{inRow(options.tools.map(tool => toolName(tool))) || t("none")}</Fact>
      <Fact name={t("Older messages")}>{t(HISTORIES[options.history])}</Fact>
      <Fact name={t("Thinking")}>{options.thinking ? t("on") : t("off")}</Fact>
      {index && (
        <Fact name={t("Index")}>
          {t("{model}, {done} of {total, plural, one {# vector} other {# vectors}} ({tier})", {
            model: index.embedding_model,
            done: count(index.vectors.done),
            total: index.vectors.total,
            tier: index.vectors.tier,
          })}
          {index.degraded && `; ${index.degraded.replaceAll("_", " ")}`}
        </Fact>
      )}
      <Fact name={t("Prompts")}>{prompt_version}</Fact>
      {prompt && <Fact name={t("Digest of the prompt")}>{prompt.sha256}</Fact>}
    </dl>
  )
}
