/** Which files are searched: in the address, as a request takes it, and as fields. */
import type { ComponentChildren } from "preact"
import type { Filter } from "../../../access/filter/filter.ts"
import { DAY_MS } from "../../format.ts"
import { spoken, t } from "../../text.ts"
import { Select, TextField } from "../../ui/form.tsx"
import { useUploadRules } from "../../uploads.ts"
import type { SearchFilters } from "../../wire.ts"
import {
  type Chosen,
  FacetBar,
  type FacetName,
  filterOfChosen,
  itemsOf,
  suggestionsOf,
  toggled,
  useFacets,
} from "../library/facets.tsx"
import { typeOptions } from "../library/filters.tsx"

export interface Narrowing {
  types: string
  tags: string
  context: string
  age: string
}

export const wide: Narrowing = { types: "", tags: "", context: "", age: "" }

const AGES = [
  ["", "Any time"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last month"],
  ["365", "Last year"],
] as const

export const narrowingIn = (address: URLSearchParams): Narrowing => ({
  types: address.get("types") ?? "",
  tags: address.get("tags") ?? "",
  context: address.get("context") ?? "",
  age: AGES.find(([age]) => age === address.get("age"))?.[0] ?? "",
})

export const isNarrow = (narrowing: Narrowing): boolean => Object.values(narrowing).some(Boolean)

export function filtersOf({ types, tags, context, age }: Narrowing): SearchFilters {
  const midnight = new Date().setHours(0, 0, 0, 0) // a boundary that stays, so that the request does not change by itself
  return {
    ...(types ? { types: itemsOf(types) } : {}),
    ...(tags.trim() ? { tags: itemsOf(tags) } : {}),
    ...(context.trim() ? { context_id: context.trim() } : {}),
    ...(age ? { created_after: new Date(midnight - (Number(age) - 1) * DAY_MS).toISOString() } : {}),
  }
}

/** Whose facets are counted. */
function filterOf(narrowing: Narrowing): Filter | undefined {
  const { created_after } = filtersOf(narrowing)
  return filterOfChosen(
    chosenOf(narrowing),
    created_after ? [{ type: "gt", key: "file.created_at", value: created_after }] : [],
  )
}

const FIELD: Record<FacetName, "types" | "tags" | "context"> = { type: "types", tag: "tags", context: "context" }

interface NarrowingBarProps {
  narrowing: Narrowing
  onChange: (narrowing: Narrowing) => void
  /** Switches of what else the search is to do. */
  children: ComponentChildren
}

export function NarrowingBar({ narrowing, onChange, children }: NarrowingBarProps) {
  const facets = useFacets(filterOf(narrowing))
  const set = (change: Partial<Narrowing>) => onChange({ ...narrowing, ...change })
  const toggle = (name: FacetName, value: string) =>
    set({ [FIELD[name]]: toggled(name, narrowing[FIELD[name]], value) })
  return (
    <>
      <div class="filters">
        <Select
          label={t("Type")}
          value={narrowing.types}
          options={typeOptions(useUploadRules(), narrowing.types)}
          onChange={types => set({ types })}
        />
        <Select label={t("Added")} value={narrowing.age} options={spoken(AGES)} onChange={age => set({ age })} />
        <TextField
          label={t("Tags")}
          value={narrowing.tags}
          suggestions={suggestionsOf(facets, "tag")}
          onInput={tags => set({ tags })}
        />
        <TextField
          label={t("Context")}
          value={narrowing.context}
          suggestions={suggestionsOf(facets, "context")}
          onInput={context => set({ context })}
        />
        {children}
      </div>
      <FacetBar facets={facets} chosen={chosenOf(narrowing)} onToggle={toggle} />
    </>
  )
}

const chosenOf = ({ types, tags, context }: Narrowing): Chosen => ({
  type: itemsOf(types),
  tag: itemsOf(tags),
  context: context.trim() ? [context.trim()] : [],
})
