/** Work on many files at once: one job of the daemon, followed to its end. */
import { useEffect, useState } from "preact/hooks"
import type { Filter } from "../../../access/filter/filter.ts"
import { api } from "../../api.ts"
import { count, plural } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
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

const DOING: Record<string, string> = {
  bulk_delete: "Deleting",
  bulk_reindex: "Queueing to be indexed",
  bulk_patch: "Changing",
}
const POLL_MS = 500

export const startBulk = async (request: BulkRequest): Promise<string> =>
  (await api.post<{ job_id: string }>("/libraries/bulk", request)).job_id

interface JobProgressProps {
  id: string
  onEnd: () => void
}

export function JobProgress({ id, onEnd }: JobProgressProps) {
  const { data: job, error, reload } = useLoaded(id, signal => api.get<Job>(`/jobs/${id}`, signal))
  const isOver = job !== undefined && job.status !== "queued" && job.status !== "running"
  useRepeated(isOver || error ? null : POLL_MS, reload)
  useEffect(() => {
    if (!isOver) return
    const failed = job.failed.length
    notify(
      job.status === "completed"
        ? `${plural(job.done - failed, "file")} done${failed ? `, ${count(failed)} could not be` : ""}`
        : `Stopped after ${plural(job.done, "file")}`,
    )
    onEnd()
  }, [isOver])
  if (error) return <Problem error={error} />
  if (!job || isOver) return null
  const text = `${DOING[job.kind] ?? "Working"}: ${count(job.done)} of ${plural(job.total, "file")}`
  return (
    <div class="notice row" role="status">
      <span>{text}</span>
      <progress max={job.total} value={job.done} aria-label={text} />
    </div>
  )
}

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
  const files = plural(chosen, "file")
  return (
    <section class="notice row selection" aria-label="Chosen files">
      <strong>{files} chosen</strong>
      {all && <Button onClick={all.onChoose}>Choose all {count(all.total)} that match</Button>}
      <Button icon="edit" onClick={() => setOpen("label")}>
        Label
      </Button>
      <Button icon="refresh" busy={start.busy} onClick={() => void start.run({ action: "reindex", filter })}>
        Index again
      </Button>
      <Button icon="trash" onClick={() => setOpen("delete")}>
        Delete chosen
      </Button>
      <Button kind="quiet" icon="close" label="Choose none" onClick={onClear} />
      {note && <p class="small note">{note}</p>}
      <Problem error={start.error} />
      {open === "label" && (
        <LabelForm files={files} filter={filter} onStarted={onStarted} onClose={() => setOpen(null)} />
      )}
      {open === "delete" && (
        <Confirm
          title={`Delete ${files}?`}
          action={`Delete ${files}`}
          onConfirm={async () => onStarted(await startBulk({ action: "delete", filter }))}
          onClose={() => setOpen(null)}
        >
          <p>They are gone from the library and from search, and cannot be brought back.</p>
        </Confirm>
      )}
    </section>
  )
}

interface LabelFormProps {
  files: string
  filter: Filter
  onStarted: (jobId: string) => void
  onClose: () => void
}

const WAYS = [
  ["add", "Add"],
  ["remove", "Remove"],
  ["replace", "Replace"],
] as const
type Way = (typeof WAYS)[number][0]

const SAID: Record<Way, string> = {
  add: "Tags and fields come beside those that the files have; a field of the same name takes the place of the former one.",
  remove: "The files lose these tags and fields, and keep the others.",
  replace: "Tags and fields take the place of all that the files have.",
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
    <Dialog title={`Label ${files}`} onClose={onClose}>
      <Form class="stack" action={save}>
        <Segments label="Tags and fields" value={way} options={WAYS} onChange={setWay} />
        <p>{SAID[way]} What is left empty stays as it is.</p>
        <TextField
          label="Tags"
          hint="Separated by commas"
          suggestions={suggestionsOf(facets, "tag")}
          value={tags}
          onInput={setTags}
        />
        <Lines
          label="Metadata"
          hint={way === "remove" ? "Names of fields, one in a line" : "One field in a line, such as year: 2026"}
          value={fields}
          onInput={setFields}
        />
        <TextField
          label="New context"
          suggestions={suggestionsOf(facets, "context")}
          value={context}
          onInput={setContext}
        />
        <Problem error={save.error} />
        <FormFoot
          action={`Change ${files}`}
          busy={save.busy}
          disabled={Object.keys(patch).length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
