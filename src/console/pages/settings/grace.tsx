import { spoken, t } from "../../text.ts"
import { Select } from "../../ui/form.tsx"

const HOW_LONG = [
  ["3600", "for an hour"],
  ["86400", "for a day"],
  ["604800", "for a week"],
] as const

interface GraceChoiceProps {
  label: string
  /** What is still done with it: "Accept it". */
  verb: string
  value: string
  onChange: (seconds: string) => void
}

/** How long a secret that was replaced is good for. */
export const GraceChoice = ({ label, verb, value, onChange }: GraceChoiceProps) => (
  <Select
    label={label}
    value={value}
    onChange={onChange}
    options={[
      ["0", t("Drop it at once")],
      ...spoken(HOW_LONG).map(([seconds, time]) => [seconds, `${verb} ${time}`] as const),
    ]}
  />
)
