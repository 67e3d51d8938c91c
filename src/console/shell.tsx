/** The frame around every page: navigation, workspace, account. */

import type { ComponentChildren } from "preact"
import { useErrorBoundary, useState } from "preact/hooks"
import { api, REFERENCE_URL } from "./api.ts"
import { Lazy } from "./lazy.tsx"
import { PAGES } from "./pages.ts"
import { go, Link } from "./router.tsx"
import { mayOpen, useAccount } from "./session.ts"
import { useShortcuts } from "./shortcuts.ts"
import { t } from "./text.ts"
import { applyTheme, type Theme, theme } from "./theme.ts"
import { Button } from "./ui/button.tsx"
import { Problem, Select } from "./ui/form.tsx"
import { Icon } from "./ui/icons.tsx"
import { Mark } from "./ui/mark.tsx"
import { Page } from "./ui/page.tsx"
import type { Me } from "./wire.ts"

const loadPalette = async () => (await import("./palette.tsx")).Palette

export function Shell({ path, children }: { path: string[]; children: ComponentChildren }) {
  const { me } = useAccount()
  const first = path[0] ?? ""
  const [finding, setFinding] = useState(false)
  useShortcuts(() => setFinding(true))
  const pages = PAGES.filter(page => mayOpen(page, me.user.role))
  const here = pages.find(({ path: name }) => name === first)
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t("Skip to the page")}
      </a>
      <aside class="side">
        <Link to="/" class="brand" label={t("Carrel, overview")}>
          <Mark /> <span>Carrel</span>
        </Link>
        <WorkspaceChoice />
        <button
          type="button"
          class="palette-opener"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setFinding(true)}
        >
          <Icon name="search" /> <span>{t("Go to …")}</span> <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label={t("Console")}>
          {pages.map(({ path: name, title, icon }) => (
            <Link key={name} to={`/${name}`} current={first === name}>
              <Icon name={icon} /> <span>{t(title)}</span>
            </Link>
          ))}
        </nav>
        <AccountCorner onFind={() => setFinding(true)} />
      </aside>
      <main id="main" tabIndex={-1}>
        <Guarded key={first}>{children}</Guarded>
      </main>
      <p class="unseen" aria-live="polite">
        {here && t(here.title)}
      </p>
      {finding && <Lazy load={loadPalette} props={{ onClose: () => setFinding(false) }} />}
    </div>
  )
}

/** A page that breaks says so and leaves the rest of the console usable. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary()
  if (!error) return <>{children}</>
  return (
    <Page title={t("Something broke")}>
      <Problem error={error as Error} />
      <div class="row">
        <Button onClick={reset}>{t("Try again")}</Button>
      </div>
    </Page>
  )
}

function WorkspaceChoice() {
  const { me, setMe } = useAccount()
  if (me.workspaces.length < 2) return null
  const change = async (id: string) => {
    setMe(await api.patch<Me>("/keys/me", { workspace_id: id }))
    go("/")
  }
  return (
    <Select
      compact
      label={t("Workspace")}
      value={me.workspace.id}
      onChange={change}
      options={me.workspaces.map(workspace => [workspace.id, workspace.name] as const)}
    />
  )
}

function AccountCorner({ onFind }: { onFind: () => void }) {
  const { me, signOut } = useAccount()
  return (
    <div class="corner">
      <a href={REFERENCE_URL} target="_blank" rel="noreferrer">
        <Icon name="external" /> <span>{t("API reference")}</span>
      </a>
      <div class="row">
        <Link to="/settings/account" class="who">
          <span dir="auto">{me.user.name}</span>
        </Link>
        <span class="on-phones">
          <Button kind="quiet" icon="search" label={t("Go to …")} onClick={onFind} />
        </span>
        <ThemeButton />
        <Button kind="quiet" onClick={signOut}>
          {t("Sign out")}
        </Button>
      </div>
    </div>
  )
}

function ThemeButton() {
  const [chosen, setChosen] = useState<Theme>(theme())
  const dark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
  const toggle = () => {
    const next = dark ? "light" : "dark"
    applyTheme(next)
    setChosen(next)
  }
  return (
    <Button
      kind="quiet"
      icon={dark ? "light" : "dark"}
      label={dark ? t("Light colors") : t("Dark colors")}
      onClick={toggle}
    />
  )
}
