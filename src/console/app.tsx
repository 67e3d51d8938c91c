/** Who is there decides what is shown: setup, sign-in, or the console. */

import { useEffect, useState } from "preact/hooks"
import { ApiError, api, whenSignedOut } from "./api.ts"
import { fetchAhead, Lazy } from "./lazy.tsx"
import { useLoaded } from "./loading.ts"
import { forgetUnsent } from "./pages/chat/unsent.ts"
import { SignInPage } from "./pages/doors/sign-in.tsx"
import { DOORS, PAGES } from "./pages.ts"
import { usePlace } from "./router.tsx"
import { AccountContext, mayOpen, rememberSignedIn, wasSignedIn } from "./session.ts"
import { Shell } from "./shell.tsx"
import { t, useLanguage } from "./text.ts"
import { Problem } from "./ui/form.tsx"
import { Empty, Page } from "./ui/page.tsx"
import { Toasts } from "./ui/toast.tsx"
import type { Me, Redaction, UserRole } from "./wire.ts"

export function App() {
  useLanguage()
  const { path } = usePlace()
  const [me, setMe] = useState<Me | null>()
  const [failure, setFailure] = useState<Error>()

  const redaction = useLoaded(me?.workspace.id ?? "", async signal =>
    me ? api.get<Redaction>("/keys/redaction", signal) : undefined,
  )

  const leave = () => {
    rememberSignedIn(false)
    forgetUnsent()
    setMe(null)
  }
  const load = () =>
    api.get<Me>("/keys/me").then(
      account => {
        rememberSignedIn(true)
        setMe(account)
      },
      error => (error instanceof ApiError && error.status === 401 ? leave() : setFailure(error)),
    )
  // Once: the account is loaded anew only by signing in.
  useEffect(() => {
    whenSignedOut(leave)
    if (wasSignedIn()) void load()
    else setMe(null)
  }, [])

  if (failure) return <Problem error={failure} />
  if (me === undefined) return null
  const door = DOORS.find(({ path: name }) => name === path[0])
  if (door) return <Lazy load={door.load} props={{ onSignedIn: load }} />
  if (me === null) return <SignInPage onSignedIn={load} />
  const signOut = async () => {
    await api.delete("/keys/sessions").catch(() => {}) // an expired session is signed out already
    leave()
  }
  return (
    <AccountContext.Provider
      value={{ me, setMe, redaction: redaction.data, reloadRedaction: redaction.reload, signOut }}
    >
      {/* another workspace is another world: every page starts afresh */}
      <Shell key={me.workspace.id} path={path}>
        <CurrentPage path={path} role={me.user.role} />
      </Shell>
      <Toasts />
    </AccountContext.Provider>
  )
}

interface CurrentPageProps {
  path: string[]
  role: UserRole
}

function CurrentPage({ path: [first = "", ...rest], role }: CurrentPageProps) {
  // Once: the other pages are wanted soon.
  useEffect(() => fetchAhead(PAGES.map(({ load }) => load)), [])
  const page = PAGES.find(({ path }) => path === first)
  if (page && mayOpen(page, role)) return <Lazy key={first} load={page.load} props={{ rest }} />
  return (
    <Page title={t("Not found")}>
      <Empty icon="search" title={t("There is no such page")} />
    </Page>
  )
}
