import { diskTrouble, engineTrouble } from "../errors.ts"

const STORE_AGAIN_MS = 5_000

/**
 * The end of a reply or a run, tried again in the background for as long as it is a store that refuses: until it is stored
 * the row says that the work goes on. What else fails is left to the next start, which ends what it finds unfinished.
 */
export function storeAgain(store: () => Promise<unknown>, refusal: unknown): void {
  if (!diskTrouble(refusal) && !engineTrouble(refusal)) return
  setTimeout(() => void store().catch(error => storeAgain(store, error)), STORE_AGAIN_MS).unref()
}
