/** Settings → Account: name, password, sessions, colors. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { ago } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { spoken, t } from "../../text.ts"
import { applyTheme, type Theme, theme } from "../../theme.ts"
import { Button } from "../../ui/button.tsx"
import { Form, Problem, Segments, TextField } from "../../ui/form.tsx"
import { LanguageChoice } from "../../ui/language-choice.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Me, SessionRecord, SignInStatus } from "../../wire.ts"

export const AccountSettings = () => (
  <div class="stack wide-gap">
    <Profile />
    <Password />
    <Sessions />
  </div>
)

const THEMES = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const

function Profile() {
  const { me, setMe } = useAccount()
  const [name, setName] = useState(me.user.name)
  const [colors, setColors] = useState<Theme>(theme())
  const save = useAction(async () => {
    setMe(await api.patch<Me>("/keys/me", { name }))
    notify(t("Saved"))
  })
  return (
    <section class="stack narrow">
      <h2>{t("You")}</h2>
      <p class="soft">
        <bdi>{me.user.email}</bdi> · {me.user.role === "administrator" ? t("administrator") : t("member")}
      </p>
      <Form class="stack" action={save}>
        <TextField
          label={t("Name")}
          name="name"
          autocomplete="name"
          required
          value={name}
          onInput={setName}
          error={save.error}
        />
        <Problem error={save.error} />
        <div class="row">
          <Button type="submit" busy={save.busy} disabled={name === me.user.name}>
            {t("Save")}
          </Button>
        </div>
      </Form>
      <LanguageChoice />
      <Segments
        label={t("Colors")}
        value={colors}
        options={spoken(THEMES)}
        onChange={next => {
          applyTheme(next)
          setColors(next)
        }}
      />
    </section>
  )
}

function Password() {
  const { me } = useAccount()
  const status = useLoaded("status", signal => api.get<SignInStatus>("/keys/status", signal))
  const provider = status.data?.provider
  if (provider?.only && me.user.role === "member")
    return (
      <section class="stack narrow">
        <h2>{t("Password")}</h2>
        <p class="soft">{t("You sign in with {name}, and have no password here.", { name: provider.name })}</p>
      </section>
    )
  return <PasswordForm />
}

function PasswordForm() {
  const { me } = useAccount()
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const change = useAction(async () => {
    await api.post("/keys/me/password", { current_password: current, new_password: next })
    setCurrent("")
    setNext("")
    notify(t("Password changed. Other sessions have been signed out."))
  })
  return (
    <section class="stack narrow">
      <h2>{t("Password")}</h2>
      <Form class="stack" action={change}>
        <input
          class="unseen"
          type="email"
          autocomplete="username"
          value={me.user.email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <TextField
          label={t("Current password")}
          type="password"
          name="current_password"
          autocomplete="current-password"
          required
          value={current}
          onInput={setCurrent}
          error={change.error}
        />
        <TextField
          label={t("New password")}
          type="password"
          name="new_password"
          autocomplete="new-password"
          hint={t("At least 8 characters.")}
          required
          minlength={8}
          value={next}
          onInput={setNext}
          error={change.error}
        />
        <Problem error={change.error} />
        <div class="row">
          <Button type="submit" busy={change.busy}>
            {t("Change the password")}
          </Button>
        </div>
      </Form>
    </section>
  )
}

function Sessions() {
  const sessions = useLoaded("sessions", signal => api.get<{ data: SessionRecord[] }>("/keys/sessions", signal))
  const end = useAction(async (id: string) => {
    await api.delete(`/keys/sessions/${id}`)
    sessions.reload()
  })
  return (
    <section class="stack">
      <h2>{t("Sessions")}</h2>
      <Problem error={sessions.error ?? end.error} />
      <ul class="list">
        {sessions.data?.data.map(session => (
          <li key={session.id} class="row between">
            <div>
              <strong>{browserOf(session.user_agent)}</strong>{" "}
              {session.current && <span class="badge good">{t("This one")}</span>}
              <span class="soft small block">
                {t("{address} · last used {lastUsedAt}", {
                  address: session.address,
                  lastUsedAt: ago(session.last_used_at),
                })}
              </span>
            </div>
            {!session.current && (
              <Button busy={end.busy} onClick={() => void end.run(session.id)}>
                {t("Sign out")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari|curl)\/[\d.]+/.exec(userAgent)?.[1] ?? t("Unknown client")
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser
  return system ? t("{name} on {system}", { name, system: system.replace("Mac OS X", "macOS") }) : name
}
