/** What every page is given, and every door. */

export interface PageProps {
  /** Parts of the address behind the page's own: `/chat/conv_1` gives ["conv_1"]. */
  rest: readonly string[]
}

export interface DoorProps {
  /** Loads the account once the session is open. */
  onSignedIn: () => Promise<unknown>
}
