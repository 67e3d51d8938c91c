/** Programs that the guides show with other people's clients run as they stand, with the address and key of a real daemon. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { COMMAND } from "../support/daemon.ts"
import { examplesIn } from "../support/documentation.ts"
import { until } from "../support/until.ts"
import { npmClients, python } from "./installed.ts"
import { type OpenDoor, startOpenDoor } from "./open.ts"

let door: OpenDoor
const folder = mkdtempSync(join(tmpdir(), "carrel-programs-"))
beforeAll(async () => {
  door = await startOpenDoor({ "embedding-tier": "auto" })
  door.ollama.server.scenes.add("none", { text: "Ninety days [1]." })
  copyFileSync(resolve(import.meta.dir, "../fixtures/documents/lease.pdf"), join(folder, "lease.pdf"))
  const messages = [{ role: "user", content: "How long is the notice?" }]
  const body = { model: "library/builtin/extractive", messages }
  writeFileSync(
    join(folder, "requests.jsonl"),
    `${JSON.stringify({ custom_id: "1", method: "POST", url: "/v1/chat/completions", body })}\n`,
  )
}, 60_000)
afterAll(async () => {
  await door?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** In each but that of a receiver. */
const address = () => ({ "http://127.0.0.1:4747": door.app.url })

/** The programs of a page in one language, as one. */
function program(page: string, language: string, replaced: Record<string, string>): string {
  const text = examplesIn(page)
    .filter(example => example.language === language)
    .map(({ text }) => text)
    .join("\n")
  return Object.entries(replaced).reduce((code, [said, typed]) => {
    expect(code).toContain(said)
    return code.replaceAll(said, typed)
  }, text)
}

/** @returns what it printed */
async function run(argv: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(argv, {
    ...{ cwd: folder, env: { ...process.env, HOME: folder, ...env } },
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, (await child.exited) === 0 ? "" : err]).toEqual([0, ""])
  return out.trim()
}

describe.skipIf(!python)("in Python", () => {
  test("docs/batches.md: a file of requests", async () => {
    const code = program("docs/batches.md", "python", {
      ...address(),
      "<client_id>.<private_key>.<secret>": door.token,
      "# later\n": `import time
while client.batches.retrieve(batch.id).status != "completed":
    time.sleep(0.1)
`,
    })
    const { response } = JSON.parse(await run([python!, "-c", code]))
    expect([response.status_code, response.body.choices[0].message.content]).toEqual([
      200,
      expect.stringContaining("90 days"),
    ])
  }, 60_000)

  test("docs/openai-files.md: files, vector stores and responses", async () => {
    await door.client.index([{ name: "lease.pdf", data: await Bun.file(join(folder, "lease.pdf")).bytes() }], {
      context_id: "project:42",
    })
    const code = `TOKEN = "${door.token}"\n${program("docs/openai-files.md", "python", address())}`
    expect(await run([python!, "-c", code])).toBe("Ninety days [1].\nlease.pdf")
  }, 60_000)

  test("docs/openai.md: LangChain", async () => {
    const code = `${program("docs/openai.md", "python", { ...address(), TOKEN: door.token })}
print(chat.invoke("What is the notice period?").content)
print(len(embeddings.embed_query("notice period")))
`
    expect(await run([python!, "-c", code])).toBe("Ninety days [1].\n512")
  }, 60_000)
})

describe.skipIf(!npmClients)("of npm", () => {
  test("docs/openai.md: the AI SDK", async () => {
    const file = join(npmClients!, `example-${crypto.randomUUID()}.mjs`)
    const code = program("docs/openai.md", "ts", { ...address(), TOKEN: door.token })
    writeFileSync(file, `${code}\nfor await (const text of textStream) process.stdout.write(text)\n`)
    try {
      expect(await run(["node", file])).toBe("Ninety days [1].")
    } finally {
      rmSync(file)
    }
  }, 60_000)

  test("docs/mcp.md: the inspector", async () => {
    const shown = examplesIn("docs/mcp.md").find(({ text }) => text.startsWith("npx @modelcontextprotocol/inspector"))!
    const inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    const command = shown.text
      .replace("npx @modelcontextprotocol/inspector", `node ${join(npmClients!, inspector)}`)
      .replace("http://127.0.0.1:4747", door.app.url)
      .replace("TOKEN", door.token)
    expect(await run(["bash", "-euo", "pipefail", "-c", command])).toContain("lease.pdf")
  }, 60_000)
})

test("docs/events.md: a receiver of webhooks", async () => {
  const port = freePort()
  const { body } = await door.client.post("/webhooks", { url: `http://127.0.0.1:${port}/carrel` })
  // Beside the packages that it imports.
  const file = join(import.meta.dir, `example-${crypto.randomUUID()}.ts`)
  const code = program("docs/events.md", "ts", { SECRET: JSON.stringify(body.secret), "port: 8080": `port: ${port}` })
  writeFileSync(file, code)
  const child = Bun.spawn([COMMAND[0]!, file], { stdin: "ignore", stdout: "pipe", stderr: "inherit" })
  try {
    await until(() => fetch(`http://127.0.0.1:${port}`, { method: "OPTIONS" }).catch(() => undefined))
    const tested = await door.client.post(`/webhooks/${body.id}/test`)
    expect(tested.body).toMatchObject({ status: "succeeded", status_code: 204 })
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toContain("webhook.test")
  } finally {
    child.kill()
    rmSync(file)
  }
}, 60_000)

function freePort(): number {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  const port = server.port!
  server.stop(true)
  return port
}
