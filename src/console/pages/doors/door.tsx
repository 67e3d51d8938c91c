/** What the doors share: their frame, their form, and how they read a link. */

import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useAction } from "../../loading.ts"
import { usePlace } from "../../router.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Form, Problem, TextField } from "../../ui/form.tsx"
import { LanguageChoice } from "../../ui/language-choice.tsx"
import { Mark } from "../../ui/mark.tsx"

interface DoorProps {
  title: string
  children: ComponentChildren
}

export function Door({ title, children }: DoorProps) {
  useEffect(() => {
    document.title = `${title} · Carrel`
  }, [title])
  return (
    <main class="door">
      <div class="door-card">
        <div class="brand">
          <Mark /> <span>Carrel</span>
        </div>
        <h1>{title}</h1>
        {children}
        <LanguageChoice compact />
      </div>
    </main>
  )
}

const FIELDS = {
  name: { label: "Your name", name: "name", autocomplete: "name" },
  email: { label: "E-mail", name: "email", type: "email", autocomplete: "username", required: true },
  password: {
    label: "Password",
    name: "password",
    type: "password",
    autocomplete: "current-password",
    required: true,
  },
  newPassword: {
    label: "Password",
    name: "password",
    type: "password",
    autocomplete: "new-password",
    hint: "At least 8 characters. A few words make a better password than a few symbols.",
    required: true,
    minlength: 8,
  },
} as const

type FieldName = keyof typeof FIELDS

interface DoorFormProps<Name extends FieldName> {
  /** In order; the first has the focus. */
  fields: readonly Name[]
  action: string
  /** Stands beside a better way in: its button is not the one that the page leads to, and nothing has the focus. */
  quiet?: boolean
  onSend: (values: Record<Name, string>) => Promise<unknown>
  children?: ComponentChildren
}

export function DoorForm<Name extends FieldName>({
  fields,
  action,
  quiet = false,
  onSend,
  children,
}: DoorFormProps<Name>) {
  const [values, setValues] = useState(() => Object.fromEntries(fields.map(name => [name, ""])) as Record<Name, string>)
  const send = useAction(() => onSend(values))
  return (
    <Form class="stack" action={send}>
      {fields.map((name, i) => (
        <TextField
          key={name}
          {...FIELDS[name]}
          label={t(FIELDS[name].label)}
          {...("hint" in FIELDS[name] ? { hint: t(FIELDS[name].hint) } : {})}
          autofocus={i === 0 && !quiet}
          value={values[name]}
          onInput={value => setValues({ ...values, [name]: value })}
          error={send.error}
        />
      ))}
      <Problem error={send.error} />
      <Button {...(quiet ? {} : { kind: "primary" })} type="submit" busy={send.busy}>
        {action}
      </Button>
      {children}
    </Form>
  )
}

/** A name that was left empty is made from the e-mail address by the daemon. */
export const givenName = (name: string): { name?: string } => (name.trim() ? { name } : {})

/** The token leaves the address bar, so that it is in no history and no screenshot. */
export function useLinkToken(): string {
  const { query } = usePlace()
  const [token] = useState(() => query.get("token") ?? "")
  useEffect(() => {
    if (token) history.replaceState(null, "", location.pathname)
  }, [token])
  return token
}

export const DeadLink = ({ error }: { error: Error | undefined }) => (
  <Door title={t("This link does not work")}>
    <p class="soft">{error?.message ?? t("It has been used, or Carrel is already set up.")}</p>
    <a class="button primary" href="/">
      {t("Go to sign-in")}
    </a>
  </Door>
)
