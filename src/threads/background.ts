/**
 * Marks work that nobody waits for, with all that it calls: wherever lines form (`gate.ts`), it lets those go first who do.
 * Said by the context of the call, since a request passes a dozen rooms before it stands in a line.
 */
import { AsyncLocalStorage } from "node:async_hooks"

const mark = new AsyncLocalStorage<true>()

export const inBackground = <Result>(work: () => Result): Result => mark.run(true, work)

export const isInBackground = (): boolean => mark.getStore() === true
