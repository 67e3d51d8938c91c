/** Governance → Holds: what may not be deleted now. */

import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { dateTime } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { go, pageIn, usePlace } from "../../router.tsx"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Problem } from "../../ui/form.tsx"
import { Empty, Pages } from "../../ui/page.tsx"
import type { Covered, HoldRecord, Page } from "../../wire.ts"
import { filterText } from "./filter-field.tsx"
import { coveredText, HoldForm } from "./hold-form.tsx"

export function HoldsPart() {
  const [adding, setAdding] = useState(false)
  const [lifting, setLifting] = useState<HoldRecord | null>(null)
  const { query: address } = usePlace()
  const parameters = query({ page: pageIn(address) })
  const holds = useLoaded(parameters, signal => api.get<Page<HoldRecord>>(`/holds${parameters}`, signal))
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Holds")}</h2>
          <p class="soft">
            {t("What a hold covers is deleted by nobody, rules of retention included, until it is lifted.")}
          </p>
        </div>
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {t("Add a hold")}
        </Button>
      </div>
      <Problem error={holds.error} />
      {holds.data?.data.length === 0 && <Empty icon="shield" title={t("Nothing is held")} />}
      <ul class="list">
        {holds.data?.data.map(hold => (
          <Item key={hold.id} hold={hold} onLift={() => setLifting(hold)} />
        ))}
      </ul>
      {holds.data && (
        <Pages of={holds.data.pagination} onPage={page => go(`/governance/holds${query({ page })}`, true)} />
      )}
      {adding && (
        <HoldForm
          onClose={() => setAdding(false)}
          onMade={() => {
            setAdding(false)
            holds.reload()
          }}
        />
      )}
      {lifting && <Lift hold={lifting} onClose={() => setLifting(null)} onLifted={holds.reload} />}
    </section>
  )
}

const Item = ({ hold, onLift }: { hold: HoldRecord; onLift: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <li class="stack">
      <div class="row between">
        <div class="grow">
          <strong dir="auto">{hold.name}</strong>
          <span class="soft small block entry-key">
            {rich(
              "<bdi/> · since {createdAt}",
              { bdi: <bdi>{scopeOf(hold)}</bdi> },
              { createdAt: dateTime(hold.created_at) },
            )}
          </span>
        </div>
        <Button label={t("Lift {name}", { name: hold.name })} onClick={onLift}>
          {t("Lift")}
        </Button>
      </div>
      <details class="fold" onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{t("What it covers")}</summary>
        {isOpen && <CoveredNow hold={hold} />}
      </details>
    </li>
  )
}

function scopeOf({ context_id: context, end_user: user, filter }: HoldRecord): string {
  const parts = [
    context && t("context {context}", { context }),
    user && t("end user {user}", { user }),
    filter && t("files that match {filter}", { filter: filterText(filter) }),
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(" · ") : t("the whole workspace")
}

function CoveredNow({ hold }: { hold: HoldRecord }) {
  const counted = useLoaded(hold.id, signal => api.get<{ covered: Covered }>(`/holds/${hold.id}`, signal))
  return (
    <>
      <Problem error={counted.error} />
      {counted.data && <p>{coveredText(counted.data.covered)}</p>}
    </>
  )
}

interface LiftProps {
  hold: HoldRecord
  onClose: () => void
  onLifted: () => void
}

const Lift = ({ hold, onClose, onLifted }: LiftProps) => (
  <Confirm
    title={t("Lift this hold?")}
    action={t("Lift")}
    onClose={onClose}
    onConfirm={async () => {
      await api.delete(`/holds/${hold.id}`)
      onLifted()
    }}
  >
    <p>
      {rich(
        "What <strong/> covers may be deleted again, by rules of retention within the hour, unless another hold covers it too.",
        { strong: <strong dir="auto">{hold.name}</strong> },
      )}
    </p>
    <CoveredNow hold={hold} />
  </Confirm>
)
