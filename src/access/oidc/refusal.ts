/** Why somebody who comes back from the provider is not let in: one table, code → status of the answer and words for people. */
import { AppError, type ErrorCode } from "../../errors.ts"

export const REFUSALS = {
  no_browser: {
    error: "forbidden",
    text: "This sign-in was not begun in this browser, or cookies are not kept for this address.",
  },
  expired: { error: "forbidden", text: "This sign-in took longer than ten minutes." },
  wrong_state: {
    error: "forbidden",
    text: "This is not the answer to the sign-in that was begun last in this browser.",
  },
  used: { error: "forbidden", text: "This sign-in has been used already." },
  denied: { error: "forbidden", text: "The sign-in provider did not let you in." },
  code_refused: { error: "forbidden", text: "The sign-in provider takes this sign-in for used or over." },
  bad_token: { error: "forbidden", text: "What the sign-in provider says of you cannot be trusted." },
  disabled: { error: "forbidden", text: "Your account here is disabled. Ask an administrator." },
  no_email: { error: "forbidden", text: "The sign-in provider gives no e-mail address for you. Ask whoever runs it." },
  email_taken: {
    error: "forbidden",
    text: "Your e-mail address belongs to another account here. Ask an administrator.",
  },
  local_administrator: {
    error: "forbidden",
    text: "Your e-mail address is that of an administrator who signs in with a password.",
  },
  last_administrator: {
    error: "forbidden",
    text: "You are no administrator any more, and there is no other one. Whoever runs this Carrel makes one with `carrel users add --admin`.",
  },
  bad_workspace: {
    error: "forbidden",
    text: "The sign-in provider names no workspace for you, or one whose name cannot be used here.",
  },
  client_refused: {
    error: "fetch_failed",
    text: "The sign-in provider does not know this Carrel, or not with this secret.",
  },
  provider_error: { error: "fetch_failed", text: "The sign-in provider answered with an error." },
  provider_unavailable: { error: "store_unavailable", text: "The sign-in provider cannot be reached at present." },
} as const satisfies Record<string, { error: ErrorCode; text: string }>

export type RefusalReason = keyof typeof REFUSALS

/** A provider may come back at any moment. */
const RETRY_S = 5

interface RefusalOptions {
  /** For the log and the doctor; it is shown to nobody who signs in. Never a code or a token. */
  detail?: string
  cause?: unknown
  /** Whose sign-in it was, where that is known. */
  userId?: string
}

export class SignInRefused extends AppError {
  readonly userId: string | undefined
  readonly detail: string | undefined

  constructor(
    readonly reason: RefusalReason,
    { detail, cause, userId }: RefusalOptions = {},
  ) {
    const { error, text } = REFUSALS[reason]
    super(error, {
      message: text,
      details: [{ reason }],
      ...(error === "store_unavailable" ? { retryAfter: RETRY_S } : {}),
      cause,
    })
    this.userId = userId
    this.detail = detail
  }
}
