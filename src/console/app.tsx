/** Who is there decides what is shown: setup, sign-in, or the console. */
import { useEffect, useState } from "preact/hooks"
import { ApiError, api, whenSignedOut } from "./api.ts"
import { AgentsPage } from "./pages/agents.tsx"
import { ChatPage } from "./pages/chat.tsx"
import { LibraryPage } from "./pages/library.tsx"
import { OverviewPage } from "./pages/overview.tsx"
import { SearchPage } from "./pages/search.tsx"
import { SettingsPage } from "./pages/settings.tsx"
import { InvitationPage, SetupPage, SignInPage } from "./pages/sign-in.tsx"
import { usePlace } from "./router.tsx"
import { AccountContext, rememberSignedIn, wasSignedIn } from "./session.ts"
import { Shell } from "./shell.tsx"
import { Problem } from "./ui/form.tsx"
import { Empty, Page } from "./ui/page.tsx"
import { Toasts } from "./ui/toast.tsx"
import type { Me } from "./wire.ts"

export function App() {
  const { path } = usePlace()
  const [me, setMe] = useState<Me | null>()
  const [failure, setFailure] = useState<Error>()

  const leave = () => {
    rememberSignedIn(false)
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
  if (path[0] === "setup") return <SetupPage onSignedIn={load} />
  if (path[0] === "invitation") return <InvitationPage onSignedIn={load} />
  if (me === null) return <SignInPage onSignedIn={load} />
  const signOut = async () => {
    await api.delete("/keys/sessions").catch(() => {}) // an expired session is signed out already
    leave()
  }
  return (
    <AccountContext.Provider value={{ me, setMe, signOut }}>
      {/* another workspace is another world: every page starts afresh */}
      <Shell key={me.workspace.id} path={path}>
        <CurrentPage path={path} />
      </Shell>
      <Toasts />
    </AccountContext.Provider>
  )
}

function CurrentPage({ path }: { path: string[] }) {
  const [first, second] = path
  switch (first) {
    case undefined:
      return <OverviewPage />
    case "library":
      return <LibraryPage />
    case "search":
      return <SearchPage />
    case "chat":
      return <ChatPage {...(second ? { conversationId: second } : {})} />
    case "agents":
      return <AgentsPage {...(second ? { runId: second } : {})} />
    case "settings":
      return <SettingsPage section={second ?? "api"} />
    default:
      return (
        <Page title="Not found">
          <Empty icon="search" title="There is no such page" />
        </Page>
      )
  }
}
