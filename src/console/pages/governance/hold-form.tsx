import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { listed } from "../../format.ts"
import { useAction } from "../../loading.ts"
import { t } from "../../text.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Problem, TextField } from "../../ui/form.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Covered } from "../../wire.ts"
import { FilterField, filterIn } from "./filter-field.tsx"

/** "12 files, 3 conversations and 1 run". */
export const coveredText = ({ files, conversations, runs }: Covered): string =>
  listed([
    t("{files, plural, one {# file} other {# files}}", { files }),
    t("{conversations, plural, one {# conversation} other {# conversations}}", { conversations }),
    t("{runs, plural, one {# run} other {# runs}}", { runs }),
  ])

interface HoldFormProps {
  onClose: () => void
  onMade: () => void
}

export function HoldForm({ onClose, onMade }: HoldFormProps) {
  const [name, setName] = useState("")
  const [context, setContext] = useState("")
  const [user, setUser] = useState("")
  const [filter, setFilter] = useState("")
  const make = useAction(async () => {
    const { covered } = await api.post<{ covered: Covered }>("/holds", {
      name,
      context_id: context.trim() || null,
      end_user: user.trim() || null,
      filter: filterIn(filter),
    })
    notify(t("It covers {covered}", { covered: coveredText(covered) }))
    onMade()
  })
  return (
    <Dialog title={t("Add a hold")} onClose={onClose}>
      <Form class="stack" action={make}>
        <TextField
          label={t("Name")}
          name="name"
          placeholder={t("Case 2026-14")}
          required
          autofocus
          value={name}
          onInput={setName}
          error={make.error}
        />
        <div class="pair">
          <TextField
            label={t("Only this context")}
            name="context_id"
            placeholder={t("all")}
            value={context}
            onInput={setContext}
            error={make.error}
          />
          <TextField
            label={t("Only this end user")}
            name="end_user"
            placeholder={t("all")}
            hint={t("Conversations and runs")}
            value={user}
            onInput={setUser}
            error={make.error}
          />
        </div>
        <FilterField value={filter} onInput={setFilter} error={make.error} />
        <p class="soft small">
          {t("Each that is given narrows. With nothing but a name it covers the whole workspace.")}
        </p>
        <Problem error={make.error} />
        <FormFoot action={t("Hold")} busy={make.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
