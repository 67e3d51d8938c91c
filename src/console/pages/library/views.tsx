/** Filters, order and columns under a name: the daemon keeps them, so that they are there in another browser too. */
import { useState } from "preact/hooks"
import type { SavedView } from "../../../access/saved-views.ts"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, Problem, Select, TextField } from "../../ui/form.tsx"
import { changesOf, type Filters, filtersOf } from "./filters.tsx"

const PATH = "/keys/views"

interface ViewsProps {
  filters: Filters
  onFilters: (filters: Filters) => void
}

export function Views({ filters, onFilters }: ViewsProps) {
  const [open, setOpen] = useState(false)
  const { data: views = [], reload } = useLoaded(
    "views",
    async signal => (await api.get<{ data: SavedView[] }>(PATH, signal)).data,
  )
  const present = JSON.stringify(sorted(changesOf(filters)))
  const current = views.find(view => JSON.stringify(sorted(view.filters)) === present)
  const show = (id: string) => {
    const view = views.find(each => each.id === id)
    if (view) onFilters(filtersOf(view.filters))
  }
  return (
    <>
      {views.length > 0 && (
        <Select
          compact
          label={t("View")}
          value={current?.id ?? ""}
          options={[["", t("View …")], ...views.map(({ id, name }) => [id, name] as const)]}
          onChange={show}
        />
      )}
      <Button icon="list" onClick={() => setOpen(true)}>
        {t("Views")}
      </Button>
      {open && <ViewsDialog views={views} filters={filters} onChanged={reload} onClose={() => setOpen(false)} />}
    </>
  )
}

const sorted = (filters: object) => Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1))

interface ViewsDialogProps {
  views: readonly SavedView[]
  filters: Filters
  onChanged: () => void
  onClose: () => void
}

function ViewsDialog({ views, filters, onChanged, onClose }: ViewsDialogProps) {
  const [name, setName] = useState("")
  const keep = useAction(async () => {
    await api.post(PATH, { name, filters: changesOf(filters) })
    setName("")
    onChanged()
  })
  return (
    <Dialog title={t("Views of the library")} onClose={onClose}>
      <div class="stack">
        <p>
          {t(
            "A view keeps the present filters, order and columns. Only you see it, in every browser that you sign in with.",
          )}
        </p>
        <Form class="row" action={keep}>
          <div class="grow">
            <TextField
              label={t("Name")}
              name="name"
              required
              autofocus
              error={keep.error}
              value={name}
              onInput={setName}
            />
          </div>
          <Button type="submit" kind="primary" busy={keep.busy}>
            {t("Keep this view")}
          </Button>
        </Form>
        <Problem error={keep.error} />
        <ul class="list" aria-label={t("Views")}>
          {views.map(view => (
            <KeptView key={view.id} view={view} filters={filters} onChanged={onChanged} />
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

interface KeptViewProps {
  view: SavedView
  filters: Filters
  onChanged: () => void
}

function KeptView({ view, filters, onChanged }: KeptViewProps) {
  const [name, setName] = useState<string>()
  const change = useAction(async (fields: object) => {
    await api.patch(`${PATH}/${view.id}`, fields)
    setName(undefined)
    onChanged()
  })
  const remove = useAction(async () => {
    await api.delete(`${PATH}/${view.id}`)
    onChanged()
  })
  return (
    <li class="row between">
      {name === undefined ? (
        <span class="grow" dir="auto">
          {view.name}
        </span>
      ) : (
        <Form class="row grow" action={{ run: () => change.run({ name }) }}>
          <TextField label={t("New name")} name="name" required autofocus value={name} onInput={setName} />
          <Button type="submit" busy={change.busy}>
            {t("Rename")}
          </Button>
        </Form>
      )}
      <div class="row">
        {name === undefined && (
          <Button
            kind="quiet"
            icon="edit"
            label={t("Rename {name}", { name: view.name })}
            onClick={() => setName(view.name)}
          />
        )}
        <Button
          kind="quiet"
          icon="check"
          label={t("Keep the present filters as {name}", { name: view.name })}
          busy={change.busy}
          onClick={() => void change.run({ filters: changesOf(filters) })}
        />
        <Button
          kind="quiet"
          icon="trash"
          label={t("Delete the view {name}", { name: view.name })}
          busy={remove.busy}
          onClick={() => void remove.run()}
        />
      </div>
      <Problem error={change.error ?? remove.error} />
    </li>
  )
}
