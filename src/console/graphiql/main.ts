/** GraphiQL on this daemon. Requests go as the console's session, where there is one, or with the headers that its user writes. */
import { createGraphiQLFetcher } from "@graphiql/toolkit"
import { GraphiQL } from "graphiql"
import { createElement } from "react"
import { createRoot } from "react-dom/client"

/** Threads of the editor by what it calls them; see `console-assets.ts`. */
const WORKERS: Readonly<Record<string, string>> = { graphql: "graphql.worker", json: "json.worker" }
const FILES = "/graphql/assets/"

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) =>
      new Worker(`${FILES}${WORKERS[label] ?? "editor.worker"}.js`, { type: "module" }),
  },
})

const BEGIN = `# Reads what you may see. Signed in to the console
# you need no key; otherwise write it under Headers:
# {"Authorization": "Bearer <token>"}

{
  files(first: 5) {
    nodes {
      id
      name
      status
    }
    totalCount
  }
}
`

const fetcher = createGraphiQLFetcher({ url: "/graphql", headers: { "x-carrel-console": "1" } })

createRoot(document.getElementById("graphiql")!).render(
  createElement(GraphiQL, { fetcher, defaultQuery: BEGIN, shouldPersistHeaders: false }),
)
