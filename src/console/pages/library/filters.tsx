import type { Filter } from "../../../access/filter/filter.ts"
import { query } from "../../api.ts"
import { spoken, type Text, t } from "../../text.ts"
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
  /** Names, as `columnsIn` takes them. */
  columns: string
}

const emptyFilters: Filters = {
  name: "",
  status: "",
  type: "",
  tag: "",
  context_id: "",
  sort: "created_at",
  order: "desc",
  columns: "status,size,created_at",
}

/** Of those that let not every file pass. */
const NARROWING = ["name", "status", "type", "tag", "context_id"] as const

export const isNarrow = (filters: Filters): boolean => NARROWING.some(name => filters[name] !== "")

/** Every file again; its order and columns stay. */
export const widened = (filters: Filters): Filters => ({
  ...filters,
  ...Object.fromEntries(NARROWING.map(name => [name, ""])),
})

const STATUSES = [
  ["", "Any state"],
  ["searchable", "Searchable"],
  ["queued,indexing", "In progress"],
  ["failed", "Failed"],
] as const satisfies [string, Text][]

/** Types as a person thinks of them, each value a list as the API takes it, and the present choice where it is none of these. */
export function typeOptions(rules: UploadRules | undefined, chosen: string): [value: string, text: string][] {
  const options = (rules?.groups ?? []).map(({ name, types }): [string, string] => [types.join(","), name])
  const isOwn = chosen !== "" && !options.some(([value]) => value === chosen)
  return [["", t("Any type")], ...options, ...(isOwn ? [[chosen, chosen.toUpperCase()] as [string, string]] : [])]
}

/** Filters that an address holds; the rest is as it is without any. */
export const filtersIn = (address: URLSearchParams): Filters => filtersOf(Object.fromEntries(address))

/** The list as it is at first, with these changes. */
export function filtersOf(changes: Record<string, string>): Filters {
  const known = Object.keys(emptyFilters).flatMap(name => (changes[name] ? [[name, changes[name]]] : []))
  return { ...emptyFilters, ...Object.fromEntries(known) }
}

/** The row that an address begins with. */
export const rowIn = (address: URLSearchParams): number => Math.max(0, Math.trunc(Number(address.get("row"))) || 0)

/** The file that an address opens. */
export const fileIn = (address: URLSearchParams): string | undefined => address.get("file") ?? undefined

interface Place {
  /** It is opened. */
  file?: string | undefined
  /** The list is scrolled to it. */
  row?: number | undefined
}

/** The library's address with these filters, so that a reload, a bookmark and the way back keep them. */
export const addressOf = (filters: Filters, { file, row }: Place = {}): string =>
  `/library${query({ ...changesOf(filters), row: row || undefined, file })}`

/** What differs from the list as it is at first. */
export const changesOf = (filters: Filters): Partial<Filters> =>
  Object.fromEntries(Object.entries(filters).filter(([name, value]) => value !== emptyFilters[name as keyof Filters]))

/** As the list is asked for. */
export const parametersOf = ({ columns: _, ...filters }: Filters): Record<string, string> => filters

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
  const set = (change: Partial<Filters>) => onChange({ ...filters, ...change })
  const toggle = (name: FacetName, value: string) => set({ [FIELD[name]]: toggled(name, filters[FIELD[name]], value) })
  return (
    <>
      <search class="filters" aria-label={t("Filter the library")}>
        <TextField
          label={t("Name")}
          type="search"
          placeholder={t("Contains …")}
          value={filters.name}
          onInput={name => set({ name })}
        />
        <Select
          label={t("State")}
          value={filters.status}
          options={spoken(STATUSES)}
          onChange={status => set({ status })}
        />
        <Select
          label={t("Type")}
          value={filters.type}
          options={typeOptions(rules, filters.type)}
          onChange={type => set({ type })}
        />
        <TextField
          label={t("Tag")}
          value={filters.tag}
          suggestions={suggestionsOf(facets, "tag")}
          onInput={tag => set({ tag })}
        />
        <TextField
          label={t("Context")}
          value={filters.context_id}
          suggestions={suggestionsOf(facets, "context")}
          onInput={context_id => set({ context_id })}
        />
      </search>
      <FacetBar facets={facets} chosen={chosenOf(filters)} onToggle={toggle} />
    </>
  )
}
