import type { Filter } from "../../../access/filter/filter.ts"
import { query } from "../../api.ts"
import { pageIn } from "../../router.tsx"
import { Select, TextField } from "../../ui/form.tsx"
import type { UploadRules } from "../../wire.ts"
import {
  type Chosen,
  FacetBar,
  type FacetName,
  filterOfChosen,
  itemsOf,
  suggestionsOf,
  toggled,
  useFacets,
} from "./facets.tsx"

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

/** Types as a person thinks of them, each value a list as the API takes it, and the present choice where it is none of these. */
export function typeOptions(rules: UploadRules | undefined, chosen: string): [value: string, text: string][] {
  const options = (rules?.groups ?? []).map(({ name, types }): [string, string] => [types.join(","), name])
  const isOwn = chosen !== "" && !options.some(([value]) => value === chosen)
  return [["", "Any type"], ...options, ...(isOwn ? [[chosen, chosen.toUpperCase()] as [string, string]] : [])]
}

/** Filters that an address holds; the rest is as it is without any. */
export function filtersIn(address: URLSearchParams): Filters {
  const given = Object.keys(emptyFilters).flatMap(name => (address.get(name) ? [[name, address.get(name)]] : []))
  return { ...emptyFilters, ...Object.fromEntries(given), page: pageIn(address) }
}

/** The library's address with these filters, so that a reload and a bookmark keep them. */
export function addressOf(filters: Filters, fileId?: string): string {
  const changed = Object.entries(filters).filter(([name, value]) => value !== emptyFilters[name as keyof Filters])
  return `/library${query({ ...Object.fromEntries(changed), file: fileId })}`
}

/** The same files as the list shows, but for the part of a name: the language of filters has none that takes any case. */
export const filterOf = (filters: Filters): Filter | undefined =>
  filterOfChosen(
    chosenOf(filters),
    filters.status ? [{ type: "in", key: "file.status", value: itemsOf(filters.status) }] : [],
  )

const chosenOf = ({ type, tag, context_id }: Filters): Chosen => ({
  type: itemsOf(type),
  tag: itemsOf(tag),
  context: context_id ? [context_id] : [],
})

const FIELD = { type: "type", tag: "tag", context: "context_id" } as const

interface LibraryFiltersProps {
  filters: Filters
  rules: UploadRules | undefined
  /** Of the library: the facets are counted anew when it changes. */
  version: string
  onChange: (filters: Filters) => void
}

export function LibraryFilters({ filters, rules, version, onChange }: LibraryFiltersProps) {
  const facets = useFacets(filterOf(filters), version)
  const set = (change: Partial<Filters>) => onChange({ ...filters, ...change, page: 1 })
  const toggle = (name: FacetName, value: string) => set({ [FIELD[name]]: toggled(name, filters[FIELD[name]], value) })
  return (
    <>
      <search class="filters" aria-label="Filter the library">
        <TextField
          label="Name"
          type="search"
          placeholder="Contains …"
          value={filters.name}
          onInput={name => set({ name })}
        />
        <Select label="State" value={filters.status} options={STATUSES} onChange={status => set({ status })} />
        <Select
          label="Type"
          value={filters.type}
          options={typeOptions(rules, filters.type)}
          onChange={type => set({ type })}
        />
        <TextField
          label="Tag"
          value={filters.tag}
          suggestions={suggestionsOf(facets, "tag")}
          onInput={tag => set({ tag })}
        />
        <TextField
          label="Context"
          value={filters.context_id}
          suggestions={suggestionsOf(facets, "context")}
          onInput={context_id => set({ context_id })}
        />
      </search>
      <FacetBar facets={facets} chosen={chosenOf(filters)} onToggle={toggle} />
    </>
  )
}
