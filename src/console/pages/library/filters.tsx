import { Select, TextField } from "../../ui/form.tsx"

export interface Filters {
  name: string
  status: string
  type: string
  tag: string
  context_id: string
  sort: "created_at" | "updated_at" | "name" | "size" | "status"
  order: "asc" | "desc"
  page: number
}

export const emptyFilters: Filters = {
  name: "",
  status: "",
  type: "",
  tag: "",
  context_id: "",
  sort: "created_at",
  order: "desc",
  page: 1,
}

const STATUSES = [
  ["", "Any state"],
  ["searchable", "Searchable"],
  ["queued,indexing", "In progress"],
  ["failed", "Failed"],
] as const

/** Groups of types that a person thinks in. */
export const TYPES = [
  ["", "Any type"],
  ["pdf", "PDF"],
  ["doc,docx", "Word"],
  ["xls,xlsx,csv", "Tables"],
  ["ppt,pptx", "Slides"],
  ["txt,md,html", "Text and web"],
  ["json,sql,yml,yaml", "Data and code"],
  ["png,jpg,jpeg,gif,webp", "Pictures"],
  ["zip", "Archives"],
] as const

interface LibraryFiltersProps {
  filters: Filters
  onChange: (filters: Filters) => void
}

export function LibraryFilters({ filters, onChange }: LibraryFiltersProps) {
  const set = (change: Partial<Filters>) => onChange({ ...filters, ...change, page: 1 })
  return (
    <search class="filters" aria-label="Filter the library">
      <TextField
        label="Name"
        type="search"
        placeholder="Contains …"
        value={filters.name}
        onInput={name => set({ name })}
      />
      <Select label="State" value={filters.status} options={STATUSES} onChange={status => set({ status })} />
      <Select label="Type" value={filters.type} options={TYPES} onChange={type => set({ type })} />
      <TextField label="Tag" value={filters.tag} onInput={tag => set({ tag })} />
      <TextField label="Context" value={filters.context_id} onInput={context_id => set({ context_id })} />
    </search>
  )
}
