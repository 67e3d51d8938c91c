/** Settings → Models: what can be asked, and whether it answers. For administrators. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { bytes, count, duration, inRow } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { CAPABILITIES, MODEL_STATES, nameOfModel } from "../../model-words.ts"
import { NoModel } from "../../no-model.tsx"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import type { Model, ModelTrial } from "../../wire.ts"

const REFRESH_MS = 5_000
const STATES = { loaded: "good", ready: "", unavailable: "bad" } as const

export function ModelsSettings() {
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  useRepeated(REFRESH_MS, models.reload)
  return (
    <section class="stack">
      <div>
        <h2>{t("Models")}</h2>
        <p class="soft">
          {rich(
            "Looked at every few seconds. The default is chosen by <code/>; models are fetched and removed at their server.",
            { code: <code>--default-model</code> },
          )}
        </p>
      </div>
      <Problem error={models.error} />
      <NoModel models={models.data} />
      <ul class="list">
        {models.data?.map(model => (
          <Item key={model.value} model={model} />
        ))}
      </ul>
    </section>
  )
}

function Item({ model }: { model: Model }) {
  const [trial, setTrial] = useState<ModelTrial>()
  const test = useAction(async () => {
    setTrial(undefined)
    setTrial(await api.post<ModelTrial>("/keys/installation/models/test", { model: model.value }))
  })
  return (
    <li class="stack tight">
      <div class="row between">
        <div class="grow">
          <strong>{nameOfModel(model)}</strong> {model.default && <span class="badge">{t("Default")}</span>}{" "}
          {!model.local && <span class="badge busy">{t("Runs elsewhere")}</span>}
          <span class="soft small block entry-key">
            <code>{model.value}</code>
          </span>
          <span class="soft small block">{factsOf(model)}</span>
          {model.status_reason && <span class="issue block">{model.status_reason}</span>}
        </div>
        <div class="row">
          <span class={`badge ${STATES[model.status]}`}>{t(MODEL_STATES[model.status])}</span>
          {model.provider !== "builtin" && (
            <Button
              busy={test.busy}
              disabled={!model.available}
              label={t("Test {label}", { label: nameOfModel(model) })}
              onClick={() => void test.run()}
            >
              {t("Test")}
            </Button>
          )}
        </div>
      </div>
      <Problem error={test.error} />
      {trial && (
        <p class="soft" role="status">
          {trial.first_piece_ms === null
            ? t("It said nothing within {totalMs}.", { totalMs: duration(trial.total_ms) })
            : t("First piece after {firstPieceMs}, done after {totalMs}: “{text}”", {
                firstPieceMs: duration(trial.first_piece_ms),
                totalMs: duration(trial.total_ms),
                text: trial.text,
              })}
        </p>
      )}
    </li>
  )
}

const factsOf = ({ size_bytes, context_length, capabilities }: Model): string =>
  [
    size_bytes === null ? "" : bytes(size_bytes),
    context_length === null ? "" : t("window of {tokens} tokens", { tokens: count(context_length) }),
    inRow(capabilities.map(each => t(CAPABILITIES[each]))),
  ]
    .filter(Boolean)
    .join(" · ")
