/** The legend of a redacted turn: how many values of which kinds were replaced, and why. No value is known here. */
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { listed } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { type Text, t } from "../../text.ts"
import { Icon } from "../../ui/icons.tsx"
import type { AnswerRecord, BuiltInKind } from "../../wire.ts"

export type KindCounts = Readonly<Record<string, number>>

const COUNTED = {
  NAME: "{count, plural, one {# name} other {# names}}",
  EMAIL: "{count, plural, one {# e-mail address} other {# e-mail addresses}}",
  PHONE: "{count, plural, one {# phone number} other {# phone numbers}}",
  ADDRESS: "{count, plural, one {# address} other {# addresses}}",
  CREDIT_CARD: "{count, plural, one {# credit card number} other {# credit card numbers}}",
  BANK_ACCOUNT: "{count, plural, one {# bank account} other {# bank accounts}}",
  API_KEY: "{count, plural, one {# API key} other {# API keys}}",
  PASSWORD: "{count, plural, one {# password} other {# passwords}}",
  TOKEN: "{count, plural, one {# access token} other {# access tokens}}",
} as const satisfies Record<BuiltInKind, Text>

const CATEGORIES: Record<string, Text> = {
  personal: "personal data",
  financial: "financial data",
  credentials: "credentials",
}

const INSISTS = {
  daemon: "Redaction is always on in this Carrel.",
  workspace: "Redaction is always on in this workspace.",
} as const satisfies Record<string, Text>

/** "2 names"; what a custom pattern found is told by the name of the pattern. */
export const counted = (kind: string, count: number): string =>
  Object.hasOwn(COUNTED, kind)
    ? t(COUNTED[kind as BuiltInKind], { count })
    : t("{count, plural, one {# match} other {# matches}} of {name}", { count, name: kind })

export const countedKinds = (kinds: KindCounts): string =>
  listed(Object.entries(kinds).map(([kind, count]) => counted(kind, count)))

const sumOf = (kinds: KindCounts): number => Object.values(kinds).reduce((sum, each) => sum + each, 0)

interface HiddenValuesProps {
  count: number
  /** Where the reply is known from its stream. */
  kinds?: KindCounts | undefined
  /** Of the conversation: the switch under its messages. */
  isSwitchedOn: boolean
  /** Path of the record that tells the kinds; it is read when somebody looks. */
  record?: string
}

export function HiddenValues({ count, kinds, isSwitchedOn, record = "" }: HiddenValuesProps) {
  const [isOpen, setOpen] = useState(false)
  // The stream tells them before tools bring more of them.
  const told = kinds && sumOf(kinds) === count ? kinds : undefined
  const path = isOpen && !told ? record : ""
  const read = useLoaded(path, async signal => (path ? api.get<AnswerRecord>(path, signal) : null))
  const known = told ?? read.data?.redaction.kinds
  const what = known ? countedKinds(known) : t("{values, plural, one {# value} other {# values}}", { values: count })
  return (
    <details class="fold hidden-values" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="shield" />
        <span>{t("What was hidden: {what}", { what })}</span>
      </summary>
      <div class="stack small">
        {known && <Kinds kinds={known} />}
        {read.error && <p class="soft">{t("Of which kinds they are is no longer known.")}</p>}
        <Why isSwitchedOn={isSwitchedOn} />
      </div>
    </details>
  )
}

function Kinds({ kinds }: { kinds: KindCounts }) {
  const { redaction } = useAccount()
  const reasonOf = (kind: string) => {
    const category = redaction?.kinds.find(known => known.kind === kind)?.category
    return t(CATEGORIES[category ?? ""] ?? "own pattern of this conversation")
  }
  return (
    <ul>
      {Object.entries(kinds).map(([kind, count]) => (
        <li key={kind}>
          {counted(kind, count)} <span class="soft">({reasonOf(kind)})</span>
        </li>
      ))}
    </ul>
  )
}

/** Who wanted it: said of today's rules, which are all that is known of the time of an earlier answer. */
function Why({ isSwitchedOn }: { isSwitchedOn: boolean }) {
  const insists = useAccount().redaction?.enforced_by
  const reason = insists
    ? t(INSISTS[insists])
    : isSwitchedOn
      ? t("Redaction is switched on in this conversation.")
      : t("Redaction was on when this was answered.")
  return (
    <p class="soft">
      {reason} {t("The values were replaced before the model saw them.")}
    </p>
  )
}
