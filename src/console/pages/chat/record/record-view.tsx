/** How a stored answer was made, from its record, and the same prompt asked again. */
import { useState } from "preact/hooks"
import { api } from "../../../api.ts"
import { useLoaded } from "../../../loading.ts"
import { t } from "../../../text.ts"
import { Dialog } from "../../../ui/dialog.tsx"
import { Problem } from "../../../ui/form.tsx"
import type { AnswerRecord, Message, Source } from "../../../wire.ts"
import { callsOf, ToolCalls } from "../tool-calls.tsx"
import { DroppedList } from "./dropped.tsx"
import { Facts } from "./facts.tsx"
import { PassageList } from "./passages.tsx"
import { Replay } from "./replay.tsx"

export interface RecordViewProps {
  conversationId: string
  message: Message
  /** Nobody but who writes in the conversation asks again. */
  readOnly: boolean
  onCite: (source: Source) => void
  onClose: () => void
}

export function RecordView({ conversationId, message, readOnly, onCite, onClose }: RecordViewProps) {
  const path = `/conversations/${conversationId}/messages/${message.id}`
  const [compared, setCompared] = useState(0)
  const record = useLoaded(`${path} ${compared}`, signal =>
    api.get<AnswerRecord>(`${path}/record${compared ? "?compare=now" : ""}`, signal),
  )
  const { data } = record
  return (
    <Dialog title={t("How this answer was made")} shape="side" onClose={onClose}>
      <div class="stack record">
        <Problem error={record.error} />
        {data && (
          <>
            <Facts record={data} />
            <PassageList passages={data.passages} onCite={onCite} />
            <DroppedList dropped={data.dropped} />
            {data.tool_calls.length > 0 && (
              <section>
                <h3>{t("Tools used")}</h3>
                <ToolCalls calls={callsOf(data)} />
              </section>
            )}
            {!readOnly && (
              <Replay
                path={path}
                record={data}
                message={message}
                onCite={onCite}
                onCompare={() => setCompared(compared + 1)}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
