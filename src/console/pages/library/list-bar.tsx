/** What stands right above the list: how long it is, its views, its columns. */
import { useState } from "preact/hooks"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { COLUMNS, columnsIn, columnsOf } from "./columns.tsx"
import type { Filters } from "./filters.tsx"
import { Views } from "./views.tsx"

interface ListBarProps {
  total: number
  filters: Filters
  onFilters: (filters: Filters) => void
}

export const ListBar = ({ total, filters, onFilters }: ListBarProps) => (
  <div class="row between">
    <span class="soft">{t("{files, plural, one {# file} other {# files}}", { files: total })}</span>
    <div class="row">
      <Views filters={filters} onFilters={onFilters} />
      <Columns names={filters.columns} onChange={columns => onFilters({ ...filters, columns })} />
    </div>
  </div>
)

interface ColumnsProps {
  names: string
  onChange: (names: string) => void
}

function Columns({ names, onChange }: ColumnsProps) {
  const [open, setOpen] = useState(false)
  const chosen = columnsIn(names)
  return (
    <>
      <Button icon="settings" onClick={() => setOpen(true)}>
        {t("Columns")}
      </Button>
      {open && (
        <Dialog title={t("Columns of the list")} onClose={() => setOpen(false)}>
          <fieldset class="choices">
            <legend>{t("Beside the name")}</legend>
            {Object.entries(COLUMNS).map(([name, { title }]) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={chosen.includes(name as keyof typeof COLUMNS)}
                  onChange={event => onChange(columnsOf(chosen, name, event.currentTarget.checked))}
                />
                {t(title)}
              </label>
            ))}
          </fieldset>
        </Dialog>
      )}
    </>
  )
}
