/** GraphiQL, the editor of queries, under the address that browsers open; all of it comes from the daemon itself. */
import { type ConsoleAsset, GRAPHIQL_FILES } from "../../native/console-assets.ts"
import { answerAsset } from "../console-pages.ts"
import { GRAPHQL_PATH } from "./graphql-api.ts"

/** Nothing from elsewhere, no inline script. The editor writes its own style sheets, and its fonts stand in them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Workers of the editor keep their names from version to version. */
const HASHED = /-[0-9a-z]{8}\.\w+$/

/** By a browser, for somebody to look at; clients send queries to the same address. */
const isOpened = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "HEAD") && (headers.get("accept") ?? "").includes("text/html")

/** Answers its paths for reading; undefined for all others. The files are loaded at the first use. */
export function graphiqlPages(
  assets: () => Promise<Map<string, ConsoleAsset>>,
): (request: Request, path: string) => Promise<Response | undefined> {
  return async (request, path) => {
    const isPage = path === GRAPHQL_PATH && isOpened(request)
    if (!isPage && !path.startsWith(GRAPHIQL_FILES)) return undefined
    const asset = (await assets()).get(isPage ? `${GRAPHIQL_FILES}index.html` : path)
    const caching = HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache"
    return (
      asset &&
      answerAsset(request, asset, caching, {
        "Content-Security-Policy": POLICY,
        Vary: "Accept, Accept-Encoding", // another client gets an answer at the same address
      })
    )
  }
}
