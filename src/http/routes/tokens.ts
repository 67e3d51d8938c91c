/** Scoped tokens: what an application with one key gives to each of its users' sessions. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import { withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./tokens.docs.ts"

export const tokenRoutes = ({ scopedTokens }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/tokens",
      async ({ body, principal, status }) => status(201, await scopedTokens.mint(principal, withoutNulls(body))),
      docs.createToken(),
    )
