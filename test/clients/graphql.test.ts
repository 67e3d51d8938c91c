/** GraphQL's own clients: graphql-request and urql, each as its documentation begins. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { rejection } from "../support/rejection.ts"
import { npmClients, npmPackage } from "./installed.ts"
import { type OpenDoor, startOpenDoor } from "./open.ts"

let door: OpenDoor
let address: string
beforeAll(async () => {
  if (!npmClients) return
  door = await startOpenDoor()
  address = `${door.app.url}/graphql`
}, 60_000)
afterAll(() => door?.stop())

const PAGE = `query Page($first: Int!, $after: String) {
  files(first: $first, after: $after, sort: name, order: asc) {
    nodes { id name passages { nodes { text } } }
    pageInfo { hasNextPage endCursor }
  }
}`

describe.skipIf(!npmClients)("graphql-request", () => {
  const client = async (token = door.token) => {
    const { GraphQLClient } = await npmPackage("graphql-request")
    return new GraphQLClient(address, { headers: { authorization: `Bearer ${token}` } })
  }

  test("reads page by page", async () => {
    const carrel = await client()
    const first = await carrel.request(PAGE, { first: 1 })
    const second = await carrel.request(PAGE, { first: 1, after: first.files.pageInfo.endCursor })
    const names = [first, second].map(({ files }) => files.nodes[0].name)
    expect(names).toEqual(["heron.txt", "lease.txt"])
    expect(second.files.nodes[0].passages.nodes[0].text).toContain("notice of 90 days")
    expect(second.files.pageInfo.hasNextPage).toBe(false)
  })

  test("searches with a document that gql made", async () => {
    const { gql } = await npmPackage("graphql-request")
    const query = gql`query ($query: String!, $filter: JSON) { search(query: $query, filter: $filter) { nodes { text file { name } url } totalCount } }`
    const filter = { type: "eq", key: "metadata.year", value: 2024 }
    const { search } = await (await client()).request(query, { query: "notice of the lease", filter })
    expect(search.nodes[0]).toMatchObject({ file: { name: "lease.txt" }, url: expect.stringContaining("/view/") })
  })

  test("throws errors with their codes: of a field, of a query, of who asks", async () => {
    const carrel = await client()
    interface Failed {
      status: number
      data?: unknown
      errors: { path?: string[]; extensions: { code: string } }[]
    }
    const failed = async (query: string, of = carrel) =>
      ((await rejection(of.request(query))) as unknown as { response: Failed }).response
    const field = await failed(`{ file(id: "file_none") { name } files { totalCount } }`)
    expect(field).toMatchObject({ status: 200, data: { file: null, files: { totalCount: 2 } } })
    expect(field.errors[0]).toMatchObject({ path: ["file"], extensions: { code: "not_found" } })
    const query = await failed("{ nope }")
    expect([query.status, query.errors[0]!.extensions.code]).toEqual([400, "invalid_request"])
    const stranger = await failed("{ __typename }", await client("cid_x.cpk_x.csk_x"))
    expect([stranger.status, stranger.errors[0]!.extensions.code]).toEqual([401, "unauthorized"])
  })

  test("gives status and headers of a raw request", async () => {
    const carrel = await client()
    const { status, headers, data } = await carrel.rawRequest("{ __typename }")
    expect([status, data]).toEqual([200, { __typename: "Query" }])
    expect(headers.get("x-request-id")).toStartWith("req_")
  })
})

describe.skipIf(!npmClients)("urql", () => {
  const client = async (token = door.token) => {
    const { Client, cacheExchange, fetchExchange } = await npmPackage("urql")
    return new Client({
      url: address,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    })
  }

  test("reads page by page", async () => {
    const carrel = await client()
    const first = await carrel.query(PAGE, { first: 1 }).toPromise()
    expect(first.error).toBeUndefined()
    const { endCursor } = first.data.files.pageInfo
    const second = await carrel.query(PAGE, { first: 1, after: endCursor }).toPromise()
    expect([first, second].map(({ data }) => data.files.nodes[0].name)).toEqual(["heron.txt", "lease.txt"])
  })

  test("gives errors with their codes", async () => {
    const carrel = await client()
    const field = await carrel.query(`{ file(id: "file_none") { name } files { totalCount } }`, {}).toPromise()
    expect(field.data).toMatchObject({ file: null, files: { totalCount: 2 } })
    expect(field.error.graphQLErrors[0].extensions.code).toBe("not_found")
    const query = await carrel.query("{ nope }", {}).toPromise()
    expect(query.error.graphQLErrors[0].extensions.code).toBe("invalid_request")
    const stranger = await (await client("cid_x.cpk_x.csk_x")).query("{ __typename }", {}).toPromise()
    expect(stranger.error.graphQLErrors[0].extensions.code).toBe("unauthorized")
    expect(stranger.error.response.status).toBe(401)
  })
})

describe.skipIf(!npmClients)("urql's persisted queries", () => {
  /** What goes over the wire, beside what the application is given. */
  const client = async (settings: Record<string, unknown>) => {
    const { Client, fetchExchange } = await npmPackage("urql")
    const { persistedExchange } = await npmPackage("@urql/exchange-persisted")
    const wire: string[] = []
    const carrel = new Client({
      url: address,
      exchanges: [persistedExchange(settings), fetchExchange],
      requestPolicy: "network-only",
      preferGetMethod: false,
      fetchOptions: { headers: { authorization: `Bearer ${door.token}` } },
      fetch: async (input: string, init: RequestInit) => {
        const { searchParams } = new URL(input)
        const { query } = init.body ? JSON.parse(init.body as string) : { query: searchParams.get("query") }
        wire.push(`${init.method} ${query ? "query and hash" : "hash"}`)
        return fetch(input, init)
      },
    })
    return { carrel, wire }
  }

  test.each(["POST", "GET"])("the query is sent once, by %s its hash alone thereafter", async method => {
    const { carrel, wire } = await client({ preferGetForPersistedQueries: method === "GET" ? "force" : false })
    const query = `query By${method} { files(sort: name, order: asc) { nodes { name } } }`
    for (let time = 0; time < 2; time++) {
      const { data, error } = await carrel.query(query, {}).toPromise()
      expect(error).toBeUndefined()
      expect(data.files.nodes.map(({ name }: { name: string }) => name)).toEqual(["heron.txt", "lease.txt"])
    }
    expect(wire).toEqual([`${method} hash`, `${method} query and hash`, `${method} hash`])
  })
})

const EXAMPLES = [
  ...readFileSync(join(import.meta.dir, "../../docs/graphql.md"), "utf8").matchAll(/^```js\n([\s\S]*?)^```$/gm),
].map(([, code]) => code!)

describe.skipIf(!npmClients)("docs/graphql.md shows a program that runs as it stands", () => {
  test.each(EXAMPLES)("%s", async code => {
    const file = join(npmClients!, `example-${crypto.randomUUID()}.mjs`)
    await Bun.write(file, code)
    try {
      const child = Bun.spawn(["node", file], {
        env: { ...process.env, CARREL_URL: door.app.url, CARREL_TOKEN: door.token },
        stdout: "pipe",
        stderr: "pipe",
      })
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect([out.trim(), err]).toEqual(["lease.txt", ""])
    } finally {
      rmSync(file)
    }
  })
})
