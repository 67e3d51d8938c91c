import { contentUrl } from "../../api.ts"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { FileRecord } from "../../wire.ts"
import { COLUMNS, type ColumnName } from "./columns.tsx"
import type { Filters } from "./filters.tsx"

export interface RowActions {
  /** Narrows the list. */
  onFilters: (change: Partial<Filters>) => void
  onOpen: (file: FileRecord) => void
  onRemove: (file: FileRecord) => void
  onReindex: (file: FileRecord) => void
}

interface FileRowProps extends RowActions {
  file: FileRecord
  /** In the list, from 0. */
  index: number
  columns: readonly ColumnName[]
  chosen: boolean
  /** @param range with all from the one chosen last */
  onChoose: (range: boolean) => void
}

/** Of the table: its head is the first row. */
const rowNumber = (index: number): number => index + 2

export const FileRow = ({ file, index, columns, chosen, onChoose, onFilters, ...on }: FileRowProps) => (
  <tr data-index={index} aria-rowindex={rowNumber(index)}>
    <td class="choice">
      <input
        type="checkbox"
        aria-label={t("Choose {name}", { name: file.name })}
        checked={chosen}
        onClick={event => onChoose(event.shiftKey)}
      />
    </td>
    <td class="named">
      <button type="button" class="file-name" onClick={() => on.onOpen(file)}>
        <span class="type">{file.type}</span>
        <span dir="auto">{file.name}</span>
      </button>
      <Labels file={file} onFilters={onFilters} />
    </td>
    {columns.map(name => (
      <td key={name} data-label={t(COLUMNS[name].title)} class={name === "status" ? "" : "number"}>
        {COLUMNS[name].show(file)}
      </td>
    ))}
    <td class="actions">
      <div class="row end">
        <a
          class="button quiet square"
          href={contentUrl(file.id)}
          download={file.name}
          aria-label={t("Download {name}", { name: file.name })}
          title={t("Download")}
        >
          <Icon name="download" />
        </a>
        <Button
          kind="quiet"
          icon="refresh"
          label={t("Re-index {name}", { name: file.name })}
          onClick={() => on.onReindex(file)}
        />
        <Button
          kind="quiet"
          icon="trash"
          label={t("Delete {name}", { name: file.name })}
          onClick={() => on.onRemove(file)}
        />
      </div>
    </td>
  </tr>
)

/** One that was not read yet. */
export const MissingRow = ({ index, columns }: { index: number; columns: number }) => (
  <tr class="missing" data-index={index} aria-rowindex={rowNumber(index)} aria-busy="true">
    <td class="choice" />
    <td class="named" colSpan={columns - 1}>
      …
    </td>
  </tr>
)

interface LabelsProps extends Pick<RowActions, "onFilters"> {
  file: FileRecord
}

/** Context and tags; a press narrows the list to them. */
function Labels({ file, onFilters }: LabelsProps) {
  if (!file.context_id && file.tags.length === 0) return null
  return (
    <div class="labels">
      {file.context_id && (
        <button type="button" class="label context" onClick={() => onFilters({ context_id: file.context_id! })}>
          {file.context_id}
        </button>
      )}
      {file.tags.map(tag => (
        <button key={tag} type="button" class="label" dir="auto" onClick={() => onFilters({ tag })}>
          {tag}
        </button>
      ))}
    </div>
  )
}
