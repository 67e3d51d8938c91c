import { contentUrl } from "../../api.ts"
import { ago, bytes } from "../../format.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { FileRecord } from "../../wire.ts"
import { FileStatus } from "./file-status.tsx"
import type { Filters } from "./filters.tsx"
import type { Selection } from "./selection.ts"

interface FileTableProps {
  files: FileRecord[]
  filters: Filters
  selection: Selection
  onFilters: (filters: Filters) => void
  onOpen: (file: FileRecord) => void
  onRemove: (file: FileRecord) => void
  onReindex: (file: FileRecord) => void
}

export function FileTable({ files, filters, selection, onFilters, onOpen, onRemove, onReindex }: FileTableProps) {
  const column = (sort: Filters["sort"], title: string) => {
    const active = filters.sort === sort
    const order = active && filters.order === "asc" ? "desc" : "asc"
    return (
      <th aria-sort={active ? (filters.order === "asc" ? "ascending" : "descending") : "none"}>
        <button type="button" class="sort" onClick={() => onFilters({ ...filters, sort, order, page: 1 })}>
          {title}
          <span aria-hidden="true">{active ? (filters.order === "asc" ? "↑" : "↓") : ""}</span>
        </button>
      </th>
    )
  }
  const isChosen = (file: FileRecord) => selection.all || selection.ids.has(file.id)
  const allChosen = files.every(isChosen)
  return (
    <div class="table-frame">
      <table class="table stacked files">
        <thead>
          <tr>
            <th>
              <input
                type="checkbox"
                aria-label="Choose all that are shown"
                checked={allChosen}
                onChange={() => selection.chooseShown(!allChosen)}
              />
            </th>
            {column("name", "Name")}
            {column("status", "State")}
            {column("size", "Size")}
            {column("created_at", "Added")}
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map(file => (
            <Row
              key={file.id}
              file={file}
              chosen={isChosen(file)}
              onChoose={range => selection.choose(file, range)}
              onFilters={change => onFilters({ ...filters, ...change, page: 1 })}
              onOpen={onOpen}
              onRemove={onRemove}
              onReindex={onReindex}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends LabelsProps, Pick<FileTableProps, "onOpen" | "onRemove" | "onReindex"> {
  chosen: boolean
  /** @param range with all from the one chosen last */
  onChoose: (range: boolean) => void
}

const Row = ({ file, chosen, onChoose, onFilters, onOpen, onRemove, onReindex }: RowProps) => (
  <tr>
    <td class="choice">
      <input
        type="checkbox"
        aria-label={`Choose ${file.name}`}
        checked={chosen}
        onClick={event => onChoose(event.shiftKey)}
      />
    </td>
    <td class="named">
      <button type="button" class="file-name" onClick={() => onOpen(file)}>
        <span class="type">{file.type}</span>
        <span dir="auto">{file.name}</span>
      </button>
      <Labels file={file} onFilters={onFilters} />
    </td>
    <td data-label="State">
      <FileStatus file={file} />
    </td>
    <td data-label="Size" class="number">
      {bytes(file.size)}
    </td>
    <td data-label="Added" class="number">
      {ago(file.created_at)}
    </td>
    <td class="actions">
      <div class="row end">
        <a
          class="button quiet square"
          href={contentUrl(file.id)}
          download={file.name}
          aria-label={`Download ${file.name}`}
          title="Download"
        >
          <Icon name="download" />
        </a>
        <Button kind="quiet" icon="refresh" label={`Re-index ${file.name}`} onClick={() => onReindex(file)} />
        <Button kind="quiet" icon="trash" label={`Delete ${file.name}`} onClick={() => onRemove(file)} />
      </div>
    </td>
  </tr>
)

interface LabelsProps {
  file: FileRecord
  onFilters: (change: Partial<Filters>) => void
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
