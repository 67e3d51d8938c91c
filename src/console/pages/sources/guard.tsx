import { useState } from "preact/hooks"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import type { SyncRecord } from "../../wire.ts"
import { guardQuestion } from "./sync-state.tsx"

interface GuardProps {
  sync: SyncRecord
  onForce: () => Promise<unknown>
  onKeep: () => Promise<unknown>
}

/** The question that a mass deletion asks: nothing is deleted until somebody answers. */
export function Guard({ sync, onForce, onKeep }: GuardProps) {
  const [asked, setAsked] = useState(false)
  return (
    <section class="card question-card" aria-label={t("Decision needed")}>
      <h2>{t("Were they deleted on purpose?")}</h2>
      <p>
        {t(
          "{sync} Nothing has been deleted here. If the place is only unreachable or was emptied by mistake, put it right there and preview a sync: nothing is lost.",
          { sync: guardQuestion(sync) },
        )}
      </p>
      <div class="row">
        <Button kind="danger" onClick={() => setAsked(true)}>
          {t("Yes, delete them here too")}
        </Button>
        <Button onClick={() => void onKeep()}>{t("No, keep them and stop deleting")}</Button>
      </div>
      {asked && (
        <Confirm
          title={t("Delete {count, plural, one {# file} other {# files}}?", { count: sync.guarded })}
          action={t("Delete them")}
          onClose={() => setAsked(false)}
          onConfirm={onForce}
        >
          <p>{t("They are removed from the library, and from search. This cannot be undone.")}</p>
        </Confirm>
      )}
    </section>
  )
}
