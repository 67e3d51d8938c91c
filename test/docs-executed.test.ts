/**
 * Every command that README.md and docs/ show is typed into a shell, page by page, beside a daemon. What stands for something
 * of the reader's (`FILE`, `src_…`, a server elsewhere) is replaced by what was made before. It has to end well, its answers
 * have to be 2xx and of the documented schema, and have the shape of those that the page prints.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { readMcpConfig } from "../src/agents/mcp-config.ts"
import { COMMAND } from "./support/daemon.ts"
import { type Example, examplesIn, GUIDES } from "./support/documentation.ts"
import { expectDocumented } from "./support/documented.ts"
import { GuideHouse } from "./support/guide-house.ts"

const CLUSTER = "needs PostgreSQL, object storage and OpenSearch: test/cluster"
const BUILDS = "builds for minutes: test/binary and test/packages run what comes of it"
const DEVELOPS = "runs this test itself, or takes longer than all of it"

/** What cannot be typed here: how such commands begin, and why. */
const NOT_HERE: [file: string, begins: string, why: string][] = [
  ["README.md", "npm start ", "installs packages, and listens on the port that a daemon of this machine may have"],
  ["README.md", "npm run build ", BUILDS],
  ["README.md", "./dist/carrel serve ", BUILDS],
  ["README.md", "export CARREL_DATABASE_URL=", CLUSTER],
  ["README.md", "carrel serve --node-url ", CLUSTER],
  ["README.md", "carrel move --from ", CLUSTER],
  ["README.md", "npm test ", DEVELOPS],
  ["README.md", "npm run check ", DEVELOPS],
  ["README.md", "npm run sdk:generate ", "writes into the work tree; `npm run check` compares what it would write"],
  ["README.md", "npm run sdk:conformance ", "needs environments of Go and Python: test/sdk runs it"],
  ["README.md", "npm run test:real ", "builds model servers from their registries: .ci/run runs it"],
  ["README.md", ".ci/run ", DEVELOPS],
  ["docs/install.md", "sudo apt ", "changes this machine: test/packages/debian.test.ts does it on one of its own"],
  ["docs/install.md", "sudo runuser ", "asks for the package's user: test/packages/debian.test.ts has it"],
  ["docs/mcp.md", "claude mcp add ", "is a program of others that no registry of packages has"],
  ["docs/mcp.md", "npx @modelcontextprotocol/inspector ", "needs that package: test/clients/docs.test.ts runs it"],
  [
    "docs/packs.md",
    "npm run packs ",
    "fetches languages from a registry: test/commands/packs.test.ts has a small pack",
  ],
  ["docs/packs.md", "npm run build ", BUILDS],
]

/** What answers have to say, where the page promises it: of requests to such a path, what stands in it and what does not. */
const SAYS: Record<string, [path: RegExp, says: RegExp, not?: RegExp][]> = {
  "README.md": [
    [/\/libraries\/file_\w+\/events$/, /"status":"searchable"/],
    [/\/search$/, /"name":"report.pdf"[^{]*"position":\{"page":1,/],
    [/\/external\/conversations$/, /^event: message_completed\n.*"citations":\[\{/m],
    [/\/v1\/chat\/completions$/, /"annotations":\[\{/],
    [/\/coverage$/, /"key":"/],
  ],
  "docs/access.md": [[/\/search$/, /handbook\.md/, /salaries\.md/]],
  "docs/batches.md": [[/\/content$/, /"status_code":200/]],
  "docs/events.md": [[/\/test$/, /"status":"succeeded"/]],
  "docs/graphql.md": [[/\/graphql$/, /"name":"lease.md"/]],
  "docs/openai.md": [[/\/completions$/, /"role":"assistant"/]],
  "docs/receipts.md": [[/\/libraries\/file_\w+$/, /^x-receipt-id: rcpt_/im]],
}

const PAGES = GUIDES.filter(file => examplesIn(file).some(({ language }) => language === "sh"))

const lacking = ["bash", "curl", "jq", "openssl", "git"].filter(name => Bun.which(name) === null)
if (lacking.length > 0) console.warn(`skipped: commands of the guides are not typed, for want of ${lacking.join(", ")}`)
const isSkipped = lacking.length > 0

let house: GuideHouse
beforeAll(async () => {
  if (!isSkipped) house = await GuideHouse.open()
}, 120_000)
afterAll(() => house?.close())

/** Lines of a page's commands; one that goes on behind a backslash is one. */
const commandsOf = (file: string): string[] =>
  examplesIn(file)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.replaceAll(/\\\n/g, "\\\u0000").split("\n"))
    .map(line => line.replaceAll("\u0000", "\n"))

const isLeftOut = (file: string, line: string) =>
  NOT_HERE.some(([page, begins]) => page === file && line.startsWith(begins))

/** What a page prints of an answer, as JSON; undefined for other lines. */
function shownIn(line: string): unknown {
  if (!/^# [[{]/.test(line)) return undefined
  return JSON.parse(line.slice(2).replaceAll(/,? *…/g, ""))
}

function scriptOf(file: string): string {
  const script = commandsOf(file)
    .filter(line => !isLeftOut(file, line))
    .map(line => (shownIn(line) ? `ls "$HOUSE/requests" | tail -n 1 | xargs -I{} touch "$HOUSE/shown/{}"` : line))
    .join("\n")
  return typedFor(file, `${script}\n`)
}

const typedFor = (file: string, example: string): string =>
  Object.entries({ ...house.byPage[file], ...house.everywhere }).reduce(
    (text, [said, typed]) => text.replaceAll(said, typed),
    example,
  )

interface Asked {
  name: string
  method: string
  url: URL
  status: number
  type: string | undefined
  answer: string
}

/** What `curl` has noted since; file by file. */
function asked(since: number): Asked[] {
  return readdirSync(house.at("requests"))
    .sort()
    .slice(since)
    .map(name => {
      const note = readFileSync(house.at("requests", name), "utf8")
      const { method, url_effective, http_code, content_type } = JSON.parse(note.slice(note.indexOf("{")))
      const answer = readFileSync(house.at("answers", name), "utf8")
      return {
        ...{ name, method, url: new URL(url_effective), status: http_code, answer },
        type: content_type?.split(";")[0],
      }
    })
}

/** Names of fields and kinds of values; of a list those of its first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
}

describe.skipIf(isSkipped)("is typed as it stands, and succeeds:", () => {
  test.each(PAGES)(
    "%s",
    async file => {
      const script = scriptOf(file)
      const before = readdirSync(house.at("requests")).length
      const child = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
        ...{ cwd: house.folder, env: house.environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      })
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      const requests = asked(before)
      const failed = requests.filter(({ status }) => status < 200 || status > 299)
      expect(failed).toEqual([])
      expect([
        await child.exited,
        (await child.exited) === 0 ? "" : `${out.slice(-2_000)}${err.slice(-2_000)}`,
      ]).toEqual([0, ""])
      expect(requests.length).toBe(script.match(/\bcurl /g)?.length ?? 0)
      for (const { method, url, status, type, answer } of requests) {
        const check = expectDocumented({ method, pathname: url.pathname, status, type })
        if (answer !== "" && !answer.startsWith("HTTP/")) check?.(answer)
      }
      for (const [path, says, not] of SAYS[file] ?? []) {
        const answers = requests.filter(({ url }) => path.test(url.pathname)).map(({ answer }) => answer)
        expect(answers).toContainEqual(expect.stringMatching(says))
        if (not) expect(answers).not.toContainEqual(expect.stringMatching(not))
      }
      const shown = commandsOf(file).map(shownIn).filter(Boolean)
      const answers = requests.filter(({ name }) => readdirSync(house.at("shown")).includes(name))
      expect(answers.map(({ answer }) => shapeOf(JSON.parse(answer)))).toEqual(shown.map(shapeOf))
    },
    60_000,
  )
})

/** Examples that are no commands: what becomes of those that something can be done with here, in their order. */
const DATA: Record<string, ((example: string) => unknown)[]> = {
  "README.md": [toolServers],
  "docs/answers.md": [inTheConversation, inItsAnswer, toolServers, asMessage],
  "docs/events.md": [anEvent],
  "docs/filters.md": [asFilter],
  "docs/mcp.md": [startsCarrel, opensMcp],
  "docs/receipts.md": [aReceipt],
}

/** Those that others execute, and those that nobody can; by page and language, or by how they begin. */
const ELSEWHERE: [file: string, which: string, by: string][] = [
  ["README.md", "src/main.ts", "is a list of folders, which test/docs.test.ts looks for"],
  ["docs/administration.md", "toml", "test/docs-examples.test.ts: carrel.toml takes it"],
  ["docs/batches.md", "python", "test/clients/docs.test.ts"],
  ["docs/evaluation.md", "json", "the questions of the commands on that page"],
  ["docs/events.md", "js", "test/access/stream-tokens.test.ts follows streams so in a browser, which a shell is not"],
  ["docs/events.md", "ts", "test/clients/docs.test.ts"],
  ["docs/graphql.md", "graphql", "test/http/graphql/docs.test.ts"],
  ["docs/graphql.md", "graphql error", "test/http/graphql/docs.test.ts"],
  ["docs/graphql.md", "js", "test/clients/graphql.test.ts"],
  ["docs/graphql.md", "json", "test/http/graphql/docs.test.ts"],
  ["docs/languages.md", "tsx", "is for who writes pages of the console: test/console is full of them"],
  ["docs/links.md", "http://127.0.0.1:4747/view/", "is a link that an answer has: test/http/links.test.ts opens them"],
  ["docs/mcp.md", "yaml", "are settings of Continue and LibreChat, which no registry of packages has"],
  ["docs/openai-files.md", "python", "test/clients/docs.test.ts"],
  ["docs/openai.md", "OPENAI_API_BASE_URL", "are settings of Open WebUI, which is a server of its own"],
  ["docs/openai.md", "python", "test/clients/docs.test.ts"],
  ["docs/openai.md", "ts", "test/clients/docs.test.ts"],
  ["docs/openai.md", "yaml", "are settings of LibreChat and Continue, which no registry of packages has"],
  ["docs/settings.md", "toml", "test/docs-examples.test.ts: carrel.toml takes it"],
  ["docs/sign-in.md", "toml", "test/docs-examples.test.ts: carrel.toml takes it"],
]

const isOf = ([file, which]: (typeof ELSEWHERE)[number], example: Example) =>
  example.file === file && (example.language === which || (example.language === "" && example.text.startsWith(which)))

const dataOf = (file: string) =>
  examplesIn(file).filter(
    example => example.language !== "sh" && !ELSEWHERE.some(elsewhere => isOf(elsewhere, example)),
  )

describe.skipIf(isSkipped)("is no command, and holds:", () => {
  test.each(Object.keys(DATA))("%s", async file => {
    const examples = dataOf(file)
    expect(examples.map(({ language }) => language)).toEqual(DATA[file]!.map(() => "json"))
    for (const [index, { text }] of examples.entries()) await DATA[file]![index]!(text)
  })

  test("each of all that there are, here or where it is said", () => {
    const unknown = GUIDES.filter(file => !(file in DATA)).flatMap(dataOf)
    expect(unknown).toEqual([])
    const all = GUIDES.flatMap(examplesIn)
    expect(ELSEWHERE.filter(elsewhere => !all.some(example => isOf(elsewhere, example)))).toEqual([])
    for (const [, , by] of ELSEWHERE)
      for (const [path] of by.matchAll(/\b(?:test|scripts)\/[\w/.-]+\.ts/g))
        expect([path, existsSync(path)]).toEqual([path, true])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of every route
const get = (path: string): Promise<any> => house.daemon.call("GET", path)

/** Of what is said to be answered there. @throws where the document knows no such answer */
function documented(pathname: string, body: unknown): void {
  const said = { method: "GET", pathname, status: 200, type: "application/json" }
  expectDocumented(said)!(JSON.stringify(body))
}

function toolServers(example: string): void {
  writeFileSync(house.at("mcp.json"), example)
  const named = readMcpConfig(house.at("mcp.json"), false).map(({ name }) => name)
  expect(named).toEqual(Object.keys(JSON.parse(example).mcpServers))
}

async function inTheConversation(example: string): Promise<void> {
  const path = `/conversations/${house.has.conversation}`
  documented(`/external${path}`, { ...(await get(path)), ...JSON.parse(example) })
}

async function inItsAnswer(example: string): Promise<void> {
  const path = `/conversations/${house.has.conversation}`
  const conversation = await get(path)
  conversation.messages[1].warnings.push(JSON.parse(example))
  documented(`/external${path}`, conversation)
}

async function asMessage(example: string): Promise<void> {
  const picture = readFileSync(join(import.meta.dir, "fixtures/documents/lease.png")).toString("base64")
  const body = JSON.parse(example.replace("iVBORw0…", picture))
  const answer = await house.daemon.call("POST", "/conversations", body, { accept: "application/json" })
  expect(answer.messages.at(-1)).toMatchObject({ role: "assistant", content: expect.stringMatching(/./) })
}

async function anEvent(example: string): Promise<void> {
  const { data, next } = await get("/events?types=file.searchable&limit=1")
  const event = JSON.parse(example)
  expect(Object.keys(event)).toEqual(Object.keys(data[0]))
  documented("/external/events", { data: [event], next })
}

async function asFilter(example: string): Promise<void> {
  const body = { query: "notice period", filter: JSON.parse(example) }
  expect((await house.daemon.call("POST", "/search", body)).hits).toEqual([])
}

async function aReceipt(example: string): Promise<void> {
  const receipt = JSON.parse(example)
  expect(Object.keys(receipt)).toEqual(Object.keys(await get(`/receipts/${house.has.receipt}`)))
  documented("/external/receipts/rcpt_x", { ...receipt, removed_from: receipt.removed_from.slice(0, -1) })
}

/** As clients start it, or reach it, that are given the settings. */
async function startsCarrel(example: string): Promise<void> {
  const { command, args, env } = JSON.parse(typedFor("docs/mcp.md", example)).mcpServers.carrel
  expect(command).toEndWith("/carrel")
  const given = { ...env, CARREL_TOKEN: house.environment.TOKEN! }
  await finds(new StdioClientTransport({ command: COMMAND[0]!, args: [...COMMAND.slice(1), ...args], env: given }))
}

async function opensMcp(example: string): Promise<void> {
  const { url, headers } = JSON.parse(typedFor("docs/mcp.md", example)).mcpServers.carrel
  const authorization = headers.Authorization.replace("TOKEN", house.environment.TOKEN!)
  await finds(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }))
}

async function finds(transport: Parameters<Client["connect"]>[0]): Promise<void> {
  const client = new Client({ name: "guides", version: "1" })
  await client.connect(transport)
  const answer = await client.callTool({ name: "search", arguments: { query: "lease of the boathouse" } })
  await client.close()
  expect(JSON.stringify(answer)).toContain("lease.md")
}

test.skipIf(isSkipped)("what is left out is still there, each with what was to be replaced", () => {
  const lost = NOT_HERE.filter(([file, begins]) => !commandsOf(file).some(line => line.startsWith(begins)))
  expect(lost).toEqual([])
  const texts = Object.fromEntries(PAGES.map(file => [file, `${commandsOf(file).join("\n")}\n`]))
  const unused = Object.entries(house.byPage).flatMap(([file, replacements]) =>
    Object.keys(replacements).filter(said => !texts[file]?.includes(said)),
  )
  const all = Object.values(texts).join("")
  expect([...unused, ...Object.keys(house.everywhere).filter(said => !all.includes(said))]).toEqual([])
})
