/** How many passages are judged, and in what time: a passage takes 20 to 40 ms of one core. */

/**
 * Of a search that asks for it. Thirty hold nearly all that fifty bring among the first ten; a slow core that serves
 * nobody else reads them in the time.
 */
export const ASKED_FOR = { candidates: 30, budgetMs: 2_000 } as const

/** Most that a search may ask for. */
export const MAX_CANDIDATES = 200

/**
 * For replies and agents, which nobody asked: what a model is given is worth half a second, and not the wait for others'.
 * The second of two at a time keeps its order.
 */
export const FOR_A_REPLY = { candidates: 20, budgetMs: 1_200 } as const
