/** Walks a record by the table of its fields (`guarded.ts`); what is not in the table is left out. */

export interface Visitors {
  text(value: string): Promise<unknown>
  json(value: unknown, keys: "redacted" | "kept"): Promise<unknown>
  number(value: number): Promise<unknown>
}

type Step = string | { readonly [name: string]: Step | undefined }

/** The same record with every field as its table says. @param table a `Fields<T>`, or the entry of one field */
export const walkFields = (value: unknown, table: object, visitors: Visitors): Promise<unknown> =>
  walk(value, table as Step, visitors)

async function walk(value: unknown, step: Step, visitors: Visitors): Promise<unknown> {
  if (value === null || value === undefined || step === "own") return value
  if (step === "withheld") return undefined
  if (step === "json" || step === "values") return visitors.json(value, step === "json" ? "redacted" : "kept")
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) items.push(await walk(item, step, visitors))
    return items
  }
  if (typeof value === "string") return visitors.text(value)
  if (typeof value === "number") return visitors.number(value)
  if (typeof step === "string" || typeof value !== "object") return visitors.json(value, "redacted")
  const members: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const next = step[name]
    if (next === undefined) continue
    const shown = await walk(inner, next, visitors)
    if (shown !== undefined) members.push([name, shown])
  }
  return Object.fromEntries(members)
}
