/** Work on many files at once: one job of the daemon, followed to its end. */
import { useEffect, useState } from "preact/hooks"
import type { Filter } from "../../../access/filter/filter.ts"
import { api, isGone } from "../../api.ts"
import { count } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { spoken, type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Lines, Problem, Segments, TextField } from "../../ui/form.tsx"
import { notify } from "../../ui/toast.tsx"
import { itemsOf, suggestionsOf, useFacets } from "./facets.tsx"

export type BulkRequest =
  | { action: "delete" | "reindex"; filter: Filter }
  | { action: "patch"; filter: Filter; patch: Record<string, unknown> }

interface Job {
  kind: string
  status: "queued" | "running" | "completed" | "failed" | "cancelled"
  done: number
  total: number
  failed: string[]
}

const DOING = {
  bulk_delete: "Deleting: {done} of {total, plural, one {# file} other {# files}}",
  bulk_reindex: "Queueing to be indexed: {done} of {total, plural, one {# file} other {# files}}",
  bulk_patch: "Changing: {done} of {total, plural, one {# file} other {# files}}",
} as const satisfies Record<string, Text>
const POLL_MS = 500
/** After a look that failed. */
const FAILED_POLL_MS = 3_000

export const startBulk = async (request: BulkRequest): Promise<string> =>
  (await api.post<{ job_id: string }>("/libraries/bulk", request)).job_id

interface JobProgressProps {
  id: string
  onEnd: () => void
}

export function JobProgress({ id, onEnd }: JobProgressProps) {
  const { data: job, error, reload } = useLoaded(id, signal => api.get<Job>(`/jobs/${id}`, signal))
  const isOver = job !== undefined && job.status !== "queued" && job.status !== "running"
  const isLost = isGone(error)
  useRepeated(isOver || isLost ? null : error ? FAILED_POLL_MS : POLL_MS, reload)
  useEffect(() => {
    if (!isLost) return
    notify(error!.message)
    onEnd()
  }, [isLost])
  useEffect(() => {
    if (!isOver) return
    const failed = job.failed.length
    notify(
      job.status === "completed"
        ? doneWords(job.done - failed, failed)
        : t("Stopped after {files, plural, one {# file} other {# files}}", { files: job.done }),
    )
    onEnd()
  }, [isOver])
  if (error && !isOver) return <Problem error={error} />
  if (!job || isOver) return null
  const text = t(wordsOf(job.kind), { done: count(job.done), total: job.total })
  return (
    <div class="notice row" role="status">
      <span>{text}</span>
      <progress max={job.total} value={job.done} aria-label={text} />
    </div>
  )
}

const wordsOf = (kind: string): Text =>
  kind in DOING ? DOING[kind as keyof typeof DOING] : "Working: {done} of {total, plural, one {# file} other {# files}}"

const doneWords = (files: number, failed: number): string =>
  failed > 0
    ? t("{files, plural, one {# file} other {# files}} done, {failed} could not be", { files, failed: count(failed) })
    : t("{files, plural, one {# file} other {# files}} done", { files })

interface SelectionBarProps {
  /** What it means for what is chosen, where that is not plain. */
  note: string | undefined
  /** How many are chosen. */
  chosen: number
  /** Those files. */
  filter: Filter
  /** Chooses every file that the list's filters let pass, where there are more. */
  all: { total: number; onChoose: () => void } | undefined
  onStarted: (jobId: string) => void
  onClear: () => void
}

export function SelectionBar({ note, chosen, filter, all, onStarted, onClear }: SelectionBarProps) {
  const [open, setOpen] = useState<"label" | "delete" | null>(null)
  const start = useAction(async (request: BulkRequest) => onStarted(await startBulk(request)))
  const files = { files: chosen }
  return (
    <section class="notice row selection" aria-label={t("Chosen files")}>
      <strong>{t("{files, plural, one {# file} other {# files}} chosen", files)}</strong>
      {all && <Button onClick={all.onChoose}>{t("Choose all {total} that match", { total: count(all.total) })}</Button>}
      <Button icon="edit" onClick={() => setOpen("label")}>
        {t("Label")}
      </Button>
      <Button icon="refresh" busy={start.busy} onClick={() => void start.run({ action: "reindex", filter })}>
        {t("Index again")}
      </Button>
      <Button icon="trash" onClick={() => setOpen("delete")}>
        {t("Delete chosen")}
      </Button>
      <Button kind="quiet" icon="close" label={t("Choose none")} onClick={onClear} />
      {note && <p class="small note">{note}</p>}
      <Problem error={start.error} />
      {open === "label" && (
        <LabelForm files={chosen} filter={filter} onStarted={onStarted} onClose={() => setOpen(null)} />
      )}
      {open === "delete" && (
        <Confirm
          title={t("Delete {files, plural, one {# file} other {# files}}?", files)}
          action={t("Delete {files, plural, one {# file} other {# files}}", files)}
          onConfirm={async () => onStarted(await startBulk({ action: "delete", filter }))}
          onClose={() => setOpen(null)}
        >
          <p>{t("They are gone from the library and from search, and cannot be brought back.")}</p>
        </Confirm>
      )}
    </section>
  )
}

interface LabelFormProps {
  files: number
  filter: Filter
  onStarted: (jobId: string) => void
  onClose: () => void
}

const WAYS = [
  ["add", "Add"],
  ["remove", "Remove"],
  ["replace", "Replace"],
] as const satisfies [string, Text][]
type Way = (typeof WAYS)[number][0]

const SAID: Record<Way, Text> = {
  add: "Tags and fields come beside those that the files have; a field of the same name takes the place of the former one. What is left empty stays as it is.",
  remove: "The files lose these tags and fields, and keep the others. What is left empty stays as it is.",
  replace: "Tags and fields take the place of all that the files have. What is left empty stays as it is.",
}

/** Fields of metadata, one in a line, as `name: value`; where they are removed, the name is enough. */
const fieldsIn = (text: string): [name: string, value: unknown][] =>
  text
    .split("\n")
    .map(line => line.trim())
    .filter(Boolean)
    .map(line => {
      const at = line.indexOf(":")
      return at < 0 ? [line, ""] : [line.slice(0, at).trim(), valueIn(line.slice(at + 1).trim())]
    })

/** Numbers and truth values as such, so that filters compare them. */
const valueIn = (text: string): unknown =>
  /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text

function patchOf(way: Way, tags: string, fields: string, context: string): Record<string, unknown> {
  const names = { add: "add_", remove: "remove_", replace: "" }[way]
  const given = fieldsIn(fields)
  return {
    ...(tags.trim() ? { [`${names}tags`]: itemsOf(tags) } : {}),
    ...(given.length > 0
      ? { [`${names}metadata`]: way === "remove" ? given.map(([name]) => name) : Object.fromEntries(given) }
      : {}),
    ...(context.trim() ? { context_id: context.trim() } : {}),
  }
}

/** What is left empty changes nothing. */
function LabelForm({ files, filter, onStarted, onClose }: LabelFormProps) {
  const facets = useFacets()
  const [way, setWay] = useState<Way>("add")
  const [tags, setTags] = useState("")
  const [fields, setFields] = useState("")
  const [context, setContext] = useState("")
  const patch = patchOf(way, tags, fields, context)
  const save = useAction(async () => onStarted(await startBulk({ action: "patch", filter, patch })))
  return (
    <Dialog title={t("Label {files, plural, one {# file} other {# files}}", { files })} onClose={onClose}>
      <Form class="stack" action={save}>
        <Segments label={t("Tags and fields")} value={way} options={spoken(WAYS)} onChange={setWay} />
        <p>{t(SAID[way])}</p>
        <TextField
          label={t("Tags")}
          hint={t("Separated by commas")}
          suggestions={suggestionsOf(facets, "tag")}
          value={tags}
          onInput={setTags}
        />
        <Lines
          label={t("Metadata")}
          hint={way === "remove" ? t("Names of fields, one in a line") : t("One field in a line, such as year: 2026")}
          value={fields}
          onInput={setFields}
        />
        <TextField
          label={t("New context")}
          suggestions={suggestionsOf(facets, "context")}
          value={context}
          onInput={setContext}
        />
        <Problem error={save.error} />
        <FormFoot
          action={t("Change {files, plural, one {# file} other {# files}}", { files })}
          busy={save.busy}
          disabled={Object.keys(patch).length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
