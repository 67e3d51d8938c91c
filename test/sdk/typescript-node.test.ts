/** The built TypeScript SDK as its users have it: the README's examples under Node, and memory while a gigabyte goes by. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { installTypescript } from "../support/sdks.ts"

const ROOT = resolve(import.meta.dir, "../..")
const SDK = join(ROOT, "sdk/typescript")
const node = Bun.which("node")
if (!node) console.warn("the TypeScript SDK is not run under Node: there is none")

let app: TestApp
let token: string
let folder: string

beforeAll(async () => {
  app = await startTestApp()
  const { key } = await app.client()
  token = [key.client_id, key.private_key, key.secret].join(".")
  folder = mkdtempSync(join(tmpdir(), "carrel-sdk-"))
  installTypescript(folder)
}, 120_000)

afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a module in the folder. @returns what it said */
async function run(command: string, file: string): Promise<string> {
  const child = Bun.spawn([command, file], {
    cwd: folder,
    env: { ...process.env, CARREL_URL: app.url, CARREL_TOKEN: token, CARREL_SECRET: token.split(".")[2] },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, err]).toEqual([0, ""])
  expect(out).not.toContain(token.split(".")[2]!)
  return out
}

const examples = [...readFileSync(join(SDK, "README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code!,
)
const transpiler = new Bun.Transpiler({ loader: "ts" })

describe.skipIf(!node)("under Node", () => {
  test.each(examples.map((code, at) => [at + 1, code] as const))(
    "example %d of the README runs",
    async (at, code) => {
      const file = join(folder, `example-${at}.mjs`)
      writeFileSync(file, transpiler.transformSync(code))
      const said = await run(node!, file)
      if (at === 1) expect(said).toContain("The notice period is six months.")
    },
    60_000,
  )

  test("the examples have the types that they say", () => {
    for (const [at, code] of examples.entries()) writeFileSync(join(folder, `example-${at + 1}.ts`), code)
    const config = {
      compilerOptions: {
        ...{ target: "ES2022", module: "NodeNext", strict: true, noEmit: true, types: ["node"], skipLibCheck: false },
        lib: ["ES2024", "DOM", "DOM.AsyncIterable"],
      },
      include: ["example-*.ts"],
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    writeFileSync(join(folder, "package.json"), '{"type": "module"}')
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
    const { stdout } = Bun.spawnSync([process.execPath, tsc, "--project", folder])
    expect(stdout.toString()).toBe("")
  }, 60_000)

  test.each(["node", "bun"])(
    "memory stays flat under %s while a gigabyte goes up and comes down",
    async runtime => {
      const code = `
import { Carrel } from "@carrel/sdk"
import { open, stat } from "node:fs/promises"
const carrel = new Carrel()
const file = await open("large-${runtime}.txt", "w")
const block = "${runtime} 0123456789abcdef\\n".repeat(50_000)
for (let at = 0; at < 950; at++) await file.write(block)
await file.close()
const { size } = await stat("large-${runtime}.txt")
let most = 0
const before = process.memoryUsage().rss
const timer = setInterval(() => { most = Math.max(most, process.memoryUsage().rss - before) }, 20)
const { files } = await carrel.files.upload("large-${runtime}.txt")
let bytes = 0
const reader = (await carrel.files.download(files[0].id)).getReader()
for (;;) { const { done, value } = await reader.read(); if (done) break; bytes += value.length }
clearInterval(timer)
await carrel.files.delete(files[0].id)
console.log(JSON.stringify({ same: bytes === size, size, most }))`
      writeFileSync(join(folder, `memory-${runtime}.mjs`), code)
      const { same, size, most } = JSON.parse(
        await run(runtime === "node" ? node! : process.execPath, `memory-${runtime}.mjs`),
      )
      expect(same).toBe(true)
      expect(most).toBeLessThan(300_000_000)
      console.log(`${runtime}: ${Math.round(most / 1e6)} MB more for ${Math.round(size / 1e6)} MB`)
    },
    120_000,
  )
})
