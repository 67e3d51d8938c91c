/** What the routes of sign-in by a provider take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { nullable } from "../schemas.ts"

const TAG = "Keys and sessions"

const page = (description: string) =>
  ({ description: `A page: ${description}`, type: "text/html", example: "<!doctype html>…" }) as const

const Provider = t.Object(
  {
    issuer: t.String({ examples: ["https://id.example.org/realms/staff"] }),
    client_id: t.String({ examples: ["carrel"] }),
    redirect_uri: t.String({
      description: "What the provider has to allow as the address that it sends people back to",
      examples: ["https://carrel.example.org/external/keys/oidc/callback"],
    }),
    only: t.Boolean({ description: "Members have no passwords", examples: [false] }),
    admin_group: nullable(t.String(), { examples: ["carrel-admins"] }),
    workspace_claim: nullable(t.String(), { examples: ["department"] }),
  },
  { title: "SignInProvider" },
)

export const startProviderSignIn = operation({
  id: "startProviderSignIn",
  audit: "nothing",
  open: true,
  summary: "Sign in by the provider",
  description:
    "Sends the browser to the provider that the settings `--oidc-…` name, with PKCE, state and nonce, and has it keep a cookie for ten minutes without which the answer is not taken. 404 where there is none. While the provider cannot be reached: `store_unavailable`. Browsers get errors as a page.",
  tag: TAG,
  query: t.Object({
    to: t.Optional(t.String({ description: "Page of the console to go to afterwards, such as `/library`" })),
  }),
  answers: { 302: { description: "To the provider" } },
  errors: ["not_found", "rate_limited"],
})

export const finishProviderSignIn = operation({
  id: "finishProviderSignIn",
  audit: { action: "session.open" },
  open: true,
  summary: "Come back from the provider",
  description:
    "Where the provider sends the browser. Opens the console's session, and goes on to the page that the start named. Each answer is taken once, from the browser that began. All errors are pages that name a code.",
  tag: TAG,
  query: t.Object({
    code: t.Optional(t.String()),
    state: t.Optional(t.String()),
    iss: t.Optional(t.String()),
    error: t.Optional(t.String({ description: "The provider's, in the place of a code" })),
  }),
  answers: {
    302: { description: "To the console" },
    403: page("this sign-in is not taken, or its user is not let in; its code says why"),
    404: page("nobody signs in by a provider here"),
    429: page("too many sign-ins of this address"),
    502: page("the provider answered with an error, or does not know this Carrel"),
    503: page("the provider cannot be reached"),
  },
})

export const getProviderSignIn = operation({
  id: "getProviderSignIn",
  audit: "nothing",
  session: "administrator",
  summary: "How people sign in by a provider",
  description: "As the settings say, without the secret. `provider` is null where nobody does.",
  tag: TAG,
  answers: {
    200: { description: "The answer", schema: t.Object({ provider: nullable(Provider) }, { title: "ProviderSignIn" }) },
  },
})

export const testProviderSignIn = operation({
  id: "testProviderSignIn",
  audit: "nothing",
  session: "administrator",
  summary: "Does the provider answer, and is it the one of the settings?",
  description:
    "Reads its description, as each sign-in does. Whether it knows the client and its secret shows when somebody signs in.",
  tag: TAG,
  answers: {
    200: {
      description: "The answer",
      schema: t.Object(
        { reachable: t.Boolean({ examples: [true] }), problem: nullable(t.String(), { examples: [null] }) },
        { title: "ProviderTest" },
      ),
    },
  },
})
