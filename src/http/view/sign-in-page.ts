/** The page that says why somebody who came back from the sign-in provider is not let in. */
import type { AppError } from "../../errors.ts"
import { type Html, html } from "./html.ts"
import { document } from "./page.ts"

/** @param again where another sign-in begins; null where that would not help. @param home the console itself */
export function signInPage(
  { message }: AppError,
  { code, again, home }: { code: string; again: string | null; home: string },
): Html {
  const title = "Sign-in did not work"
  return document(
    title,
    html`<h1>${title}</h1>
<p class="card text">${message}</p>
<p>${again === null ? null : html`<a href="${again}">Sign in again</a> · `}<a href="${home}">Go to the console</a></p>
<p class="soft">Code: <code>${code}</code></p>`,
  )
}
