/** The signed-in account, for every page. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Me } from "./wire.ts"

export interface Account {
  me: Me
  /** Replaces the account after a change. */
  setMe: (me: Me) => void
  signOut: () => Promise<void>
}

export const AccountContext = createContext<Account | null>(null)

export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error("this page needs a signed-in account")
  return account
}
