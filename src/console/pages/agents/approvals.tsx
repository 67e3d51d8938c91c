import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { dateTime } from "../../format.ts"
import { useAction } from "../../loading.ts"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Problem, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { Approval } from "../../wire.ts"

interface ApprovalsProps {
  runId: string
  approvals: Approval[]
  /** Shared with who looks at it: somebody else decides. */
  readOnly: boolean
  onDecided: () => void
}

/** The calls that wait for somebody, first; then what became of the others. */
export function Approvals({ runId, approvals, readOnly, onDecided }: ApprovalsProps) {
  const [opened, setOpened] = useState<string | null>(null)
  const waiting = approvals.filter(({ status }) => status === "pending")
  const shown = waiting.find(({ id }) => id === opened)
  if (approvals.length === 0) return null
  return (
    <section class="stack" aria-label={t("Approvals")}>
      {waiting.map(approval => (
        <div key={approval.id} class="notice row between">
          <span>
            <Icon name="shield" />{" "}
            {rich("The run asks to call <strong/>.", { strong: <strong>{approval.tool}</strong> })}
          </span>
          {!readOnly && (
            <Button kind="primary" onClick={() => setOpened(approval.id)}>
              {t("Review")}
            </Button>
          )}
        </div>
      ))}
      {approvals
        .filter(({ status }) => status !== "pending")
        .map(approval => (
          <p key={approval.id} class="soft small" dir="auto">
            {outcomeOf(approval)}
          </p>
        ))}
      {shown && (
        <Review
          runId={runId}
          approval={shown}
          onClose={() => setOpened(null)}
          onDecided={() => {
            setOpened(null)
            onDecided()
          }}
        />
      )}
    </section>
  )
}

const OUTCOMES = {
  pending: "waits",
  approved: "was approved",
  denied: "was denied",
  expired: "was approved by nobody in time",
  cancelled: "was not decided before the run ended",
} as const

function outcomeOf({ tool, status, decided_by, reason }: Approval): string {
  const name = decided_by?.name
  const outcome = name
    ? t("{tool} {outcome} by {name}", { tool, outcome: t(OUTCOMES[status]), name })
    : t("{tool} {outcome}", { tool, outcome: t(OUTCOMES[status]) })
  return reason ? `${outcome}: ${reason}` : outcome
}

interface ReviewProps {
  runId: string
  approval: Approval
  onClose: () => void
  onDecided: () => void
}

/** Shows what would be done, letter by letter: whoever approves must see it. */
function Review({ runId, approval, onClose, onDecided }: ReviewProps) {
  const [reason, setReason] = useState("")
  const decide = useAction(async (decision: "approve" | "deny") => {
    await api.post(`/agents/runs/${runId}/approvals/${approval.id}`, { decision, ...(reason ? { reason } : {}) })
    onDecided()
  })
  return (
    <Dialog title={t("Allow {tool}?", { tool: approval.tool })} onClose={onClose}>
      <div class="stack">
        <p>{t("The tool gets exactly this:")}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {visible(JSON.stringify(approval.arguments, null, 2))}
        </pre>
        <p class="soft small">
          {t("Without a decision it is denied at {expiresAt}.", { expiresAt: dateTime(approval.expires_at) })}
        </p>
        <TextField label={t("Reason")} value={reason} onInput={setReason} />
        <Problem error={decide.error} />
        <footer class="row end">
          <Button busy={decide.busy} onClick={() => void decide.run("deny")}>
            {t("Deny")}
          </Button>
          <Button kind="primary" busy={decide.busy} onClick={() => void decide.run("approve")}>
            {t("Approve")}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}

/** Characters that are not seen, or turn the ones around them, as their numbers. */
const visible = (text: string): string =>
  text.replace(/[^\P{C}\n]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
