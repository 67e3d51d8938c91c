/** The signed-in account, for every page. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Me, Redaction, UserRole } from "./wire.ts"

export interface Account {
  me: Me
  /** Replaces the account after a change. */
  setMe: (me: Me) => void
  /** Of the workspace; undefined until it has been read. */
  redaction: Redaction | undefined
  /** Reads `redaction` again: an administrator may have changed it. */
  reloadRedaction: () => void
  signOut: () => Promise<void>
}

export const AccountContext = createContext<Account | null>(null)

export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error("this page needs a signed-in account")
  return account
}

const SIGNED_IN = "carrel-signed-in"

/** Ends the address at which a sign-in by a provider arrives. */
const ARRIVED = "#signed-in"

/** Script cannot see the cookie; this says whether asking for the account is worth a request. */
export function wasSignedIn(): boolean {
  if (location.hash === ARRIVED) {
    history.replaceState(null, "", location.pathname + location.search)
    return true
  }
  return localStorage.getItem(SIGNED_IN) !== null
}

export function rememberSignedIn(signedIn: boolean): void {
  if (signedIn) localStorage.setItem(SIGNED_IN, "1")
  else localStorage.removeItem(SIGNED_IN)
}

/** Whether somebody of this role may see a page or a section. */
export const mayOpen = ({ role: needed }: { role?: UserRole }, role: UserRole): boolean =>
  needed === undefined || needed === role
