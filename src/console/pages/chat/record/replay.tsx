import { useEffect, useRef, useState } from "preact/hooks"
import { ago } from "../../../format.ts"
import { followsGiven, followsNone } from "../../../markdown.tsx"
import { type Draft, emptyDraft, followReply } from "../../../reply.ts"
import { t } from "../../../text.ts"
import { Button } from "../../../ui/button.tsx"
import { Problem } from "../../../ui/form.tsx"
import type { AnswerRecord, Message, Source } from "../../../wire.ts"
import { Cited } from "../message-view.tsx"
import { ModelChoice, useModels } from "../settings-bar.tsx"
import { Warnings } from "../warnings.tsx"
import { DifferenceView } from "./difference.tsx"

interface ReplayProps {
  /** Of the message. */
  path: string
  record: AnswerRecord
  message: Message
  onCite: (source: Source) => void
  /** Has the record compared with what would be found now. */
  onCompare: () => void
}

/** The same prompt once more: what comes now stands beside what is stored, and nothing of it is kept. */
export function Replay({ path, record, message, onCite, onCompare }: ReplayProps) {
  const [model, setModel] = useState(record.model.value)
  const replay = useReplay(`${path}/replay`, onCompare)
  const { draft, running } = replay
  const models = useModels()
  return (
    <section class="stack">
      <h3>{t("The same again")}</h3>
      {record.prompt?.complete ? (
        <div class="row">
          <ModelChoice models={models.data ?? []} value={model} onChange={setModel} />
          {running ? (
            <Button icon="stop" onClick={replay.stop}>
              {t("Stop")}
            </Button>
          ) : (
            <Button icon="refresh" onClick={() => void replay.start(model)}>
              {t("Ask with the same prompt")}
            </Button>
          )}
          <Button onClick={onCompare}>{t("Search again")}</Button>
        </div>
      ) : (
        <p class="soft">
          {t("A text that the prompt held is gone or was not kept, so it cannot be asked with again.")}{" "}
          <Button onClick={onCompare}>{t("Search again")}</Button>
        </p>
      )}
      <Problem error={replay.problem} />
      {draft && <Beside then={message} now={draft} running={running} onCite={onCite} />}
      {record.difference && <DifferenceView difference={record.difference} record={record} onCite={onCite} />}
    </section>
  )
}

/** One replay at a time; leaving stops the model. */
function useReplay(path: string, onEnd: () => void) {
  const [draft, setDraft] = useState<Draft>()
  const [problem, setProblem] = useState<Error>()
  const [running, setRunning] = useState(false)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  return {
    draft,
    problem,
    running,
    stop: () => abort.current?.abort(),
    async start(model: string) {
      const mine = new AbortController()
      abort.current = mine
      setProblem(undefined)
      setRunning(true)
      setDraft(emptyDraft(null))
      try {
        const { signal } = mine
        await followReply({ method: "POST", path, body: { model }, question: null, signal, onDraft: setDraft })
        onEnd()
      } catch (error) {
        if (!mine.signal.aborted) setProblem(error as Error)
        setDraft(undefined)
      }
      setRunning(false)
    },
  }
}

interface BesideProps {
  then: Message
  now: Draft
  running: boolean
  onCite: (source: Source) => void
}

const Beside = ({ then, now, running, onCite }: BesideProps) => (
  <>
    {!running && !now.error && (
      <p class="soft" role="status">
        {now.text === then.content
          ? t("Word for word the same answer. Nothing of it is stored.")
          : t("The answer differs. Nothing of it is stored.")}
      </p>
    )}
    <div class="beside">
      <article class="reply" aria-label={t("The stored answer")}>
        <h4>{ago(then.created_at)}</h4>
        <Cited text={then.content} sources={then.citations} follows={followsGiven(then.warnings)} onCite={onCite} />
      </article>
      <article class="reply" aria-label={t("The answer now")} aria-busy={running}>
        <h4>{t("Now")}</h4>
        <Cited
          text={now.text}
          sources={now.sources}
          follows={running ? followsNone : followsGiven(now.warnings)}
          onCite={onCite}
        />
        {running && <p class="soft phase">{now.doing.words || <span class="caret" />}</p>}
        <Problem error={now.error} />
        <Warnings warnings={now.warnings} />
      </article>
    </div>
  </>
)
