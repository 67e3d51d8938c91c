/** A filter of the API as people write it: its JSON. */
import { t } from "../../text.ts"
import { Lines } from "../../ui/form.tsx"

/** Null for an empty text. @throws Error that says so where it is no JSON */
export function filterIn(text: string): unknown {
  if (!text.trim()) return null
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(t("The filter is not JSON. Compare it with the example."))
  }
}

export const filterText = (filter: unknown): string => (filter === null ? "" : JSON.stringify(filter))

interface FilterFieldProps {
  value: string
  onInput: (text: string) => void
  error: Error | undefined
  name?: string
}

export const FilterField = ({ name = "filter", ...given }: FilterFieldProps) => (
  <Lines
    label={t("Only files that match")}
    name={name}
    mono
    placeholder={'{"type": "eq", "key": "metadata.case", "value": "14"}'}
    hint={t("A filter as the API takes it; all files where it is empty.")}
    {...given}
  />
)
