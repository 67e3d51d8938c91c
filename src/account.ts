/**
 * Whom the use of models is counted for, and what one piece of work has taken of them so far. A model is only had together
 * with an account (`backends/index.ts`), and what stores or gives its answer takes the account too: so no answer of a model
 * can go uncounted. Accounts are opened by `governance/usage/`, which also settles them.
 */

/** Whose use something is. Empty texts for nobody: a key or a user of the console, and whom they work for. */
export interface Payer {
  workspaceId: string
  keyId: string
  userId: string
  /** What narrowed the credentials; see `OwnedColumns`. */
  maker: string
  endUser: string
  contextId: string
}

/** Tokens, as model servers count them. */
export interface ModelUsage {
  prompt_tokens: number
  completion_tokens: number
}

export class Account {
  /** Value of the model that is asked; set when it is chosen. */
  model = ""
  private readonly spent: ModelUsage

  /** @param spent what the work has taken already */
  constructor(
    readonly payer: Payer,
    spent: ModelUsage = { prompt_tokens: 0, completion_tokens: 0 },
  ) {
    this.spent = { ...spent }
  }

  /** So far; it does not change afterwards. */
  get usage(): ModelUsage {
    return { ...this.spent }
  }

  add(promptTokens: number, completionTokens: number): void {
    this.spent.prompt_tokens += promptTokens
    this.spent.completion_tokens += completionTokens
  }
}
