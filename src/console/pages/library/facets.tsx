/** What files have in common, counted: offered beside the filters of Library and Search. */
import type { Filter } from "../../../access/filter/filter.ts"
import { api, query } from "../../api.ts"
import { count } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { type Text, t } from "../../text.ts"

const KEYS = { type: "file.type", tag: "file.tags", context: "file.context_id" } as const
export type FacetName = keyof typeof KEYS

const TITLES: Record<FacetName, Text> = { type: "Types", tag: "Tags", context: "Contexts" }

/** Values of each, the most frequent first. */
export type Facets = Record<FacetName, { value: string; count: number }[]>

interface Counted {
  facets: Record<string, { value: string; count: number }[]>
}

/**
 * Of the files that pass; of all where there is no filter. Undefined until the first answer.
 * @param version changes where they are to be counted anew
 */
export function useFacets(filter?: Filter, version = ""): Facets | undefined {
  const asked = query({ keys: Object.values(KEYS).join(","), filter: filter && JSON.stringify(filter) })
  return useLoaded(asked + version, async signal => {
    const { facets } = await api.get<Counted>(`/libraries/facets${asked}`, signal)
    const of = (name: FacetName) => facets[KEYS[name]] ?? []
    return { type: of("type"), tag: of("tag"), context: of("context") }
  }).data
}

/** The items of a comma-separated field. */
export const itemsOf = (text: string): string[] =>
  text
    .split(",")
    .map(item => item.trim())
    .filter(Boolean)

/** What is chosen of each. */
export type Chosen = Record<FacetName, readonly string[]>

/** The text of a field with the value, or without it where it had it: a file may have several tags, and has one context. */
export function toggled(name: FacetName, text: string, value: string): string {
  if (name === "context") return text === value ? "" : value
  const items = itemsOf(text)
  return (items.includes(value) ? items.filter(other => other !== value) : [...items, value]).join(",")
}

/** Files that have one of what is chosen of each, and pass the others; undefined where nothing is asked of them. */
export function filterOfChosen({ type, tag, context }: Chosen, others: readonly Filter[]): Filter | undefined {
  const filters = [...others]
  if (type.length > 0) filters.push({ type: "in", key: "file.type", value: [...type] })
  if (tag.length > 0) filters.push({ type: "in", key: "file.tags", value: [...tag] })
  if (context.length > 0) filters.push({ type: "eq", key: "file.context_id", value: context[0]! })
  return filters.length > 0 ? { type: "and", filters } : undefined
}

/** To be offered while one is typed. */
export const suggestionsOf = (facets: Facets | undefined, name: FacetName): string[] =>
  facets?.[name].map(({ value }) => value) ?? []

/** Of one kind: more are found by typing. */
const SHOWN = 12

interface FacetBarProps {
  facets: Facets | undefined
  chosen: Chosen
  onToggle: (name: FacetName, value: string) => void
}

/** Values as buttons that narrow; nothing where files have none. */
export function FacetBar({ facets, chosen, onToggle }: FacetBarProps) {
  const names = (Object.keys(KEYS) as FacetName[]).filter(name => facets?.[name].length)
  if (!facets || names.length === 0) return null
  return (
    <details class="fold facets">
      <summary>{t("What the files are")}</summary>
      {names.map(name => (
        <div key={name} class="labels">
          <span class="soft small">{t(TITLES[name])}</span>
          {facets[name].slice(0, SHOWN).map(({ value, count: files }) => (
            <button
              key={value}
              type="button"
              class={name === "context" ? "label context" : "label"}
              dir="auto"
              aria-pressed={chosen[name].includes(value)}
              onClick={() => onToggle(name, value)}
            >
              {value} <span class="soft">{count(files)}</span>
            </button>
          ))}
        </div>
      ))}
    </details>
  )
}
