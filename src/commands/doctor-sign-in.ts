/** What the doctor says of the provider that people sign in by. */
import { Provider } from "../access/oidc/provider.ts"
import type { SignInRefused } from "../access/oidc/refusal.ts"
import { egressTo } from "../app/network.ts"
import type { Config } from "../config.ts"
import { signInOf } from "../configured-sign-in.ts"
import type { Finding } from "./finding.ts"

const WHAT = "sign-in"

/** Nothing where nobody signs in by a provider. Asks it for its description, as the first sign-in would. */
export async function describeSignIn(config: Config): Promise<Finding[]> {
  let settings: ReturnType<typeof signInOf>
  try {
    settings = signInOf(config)
  } catch (error) {
    return [{ what: WHAT, state: "problem", text: (error as Error).message }]
  }
  if (!settings) return []
  const { issuer, clientId, only } = settings
  const whom = only ? "members by it alone" : "beside passwords"
  const problem = await new Provider(settings, egressTo(settings, config)).describe().then(
    () => undefined,
    (error: SignInRefused) => error.detail ?? error.message,
  )
  if (problem === undefined) return [{ what: WHAT, state: "ok", text: `${issuer} answers; as ${clientId}, ${whom}` }]
  return [
    {
      what: WHAT,
      state: "problem",
      text: `${issuer}: ${problem}`,
      remedy: "start the provider, or mend --oidc-issuer; until then administrators of `carrel users` can sign in",
    },
  ]
}
