/** How many passages are judged, and in what time: a passage takes 20 to 40 ms of one core. */

export interface RerankBudget {
  /** Passages from the top of the list. */
  candidates: number
  /** From now to the last score. */
  budgetMs: number
  /** 0..1: of all the machine's cores, what requests that name it may take together. Whole without it. */
  coreShare?: number
}

/**
 * Of a search that asks for it. Thirty hold nearly all that fifty bring among the first ten; a slow core that serves
 * nobody else reads them in the time.
 */
export const ASKED_FOR = { candidates: 30, budgetMs: 2_000 } as const

/** Most that a search may ask for. */
export const MAX_CANDIDATES = 200

/**
 * For replies and agents, which nobody asked: what a model is given is worth a third of a second, not the wait for others', and
 * not the cores of everyone else. Within the time and the share the first is served; the others keep their order.
 */
export const FOR_A_REPLY = { candidates: 12, budgetMs: 800, coreShare: 1 / 6 } as const satisfies RerankBudget
