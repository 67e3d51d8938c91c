/**
 * The SDKs as packages: what `npm pack`, `pip` and Go's own tools make of the folders, installed where nothing else is, and
 * used by a program of somebody else on the real application.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { chromium } from "playwright-core"
import { ARGUMENTS, CHROMIUM, hasBrowser } from "../console/console.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { goOfSdk, pythonWithHttpx } from "../support/sdks.ts"

setDefaultTimeout(180_000)

const ROOT = resolve(import.meta.dir, "../..")
const SDK = join(ROOT, "sdk")
const PROGRAMS = join(import.meta.dir, "programs")
/** As the programs have it. */
const SAID = "The heron counts 41 boats."

const room = mkdtempSync(join(tmpdir(), "carrel-packages-"))
/** Where the page of the browser stands. */
const pages = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: request => {
    const script = new URL(request.url).pathname === "/page.js"
    const body = script
      ? Bun.file(join(room, "user/page.js"))
      : "<!doctype html><script type=module src=/page.js></script>"
    return new Response(body, { headers: { "content-type": script ? "text/javascript" : "text/html" } })
  },
})

let app: TestApp
let env: Record<string, string | undefined>

beforeAll(async () => {
  app = await startTestApp({ "cors-origins": pages.url.origin })
  const { key } = await app.client()
  env = { ...process.env, CARREL_URL: app.url, CARREL_TOKEN: [key.client_id, key.private_key, key.secret].join(".") }
})
afterAll(async () => {
  await pages.stop(true)
  await app.stop()
  rmSync(room, { recursive: true, force: true })
})

/** @returns what it said; its end must be a good one */
async function run(cwd: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  expect({ command, code, said: code === 0 ? "" : out + err }).toEqual({ command, code: 0, said: "" })
  return out
}

const folder = (name: string): string => {
  const path = join(room, name)
  mkdirSync(path, { recursive: true })
  return path
}

const npm = Bun.which("npm")
if (!npm) console.warn("npm pack is not looked at: there is no npm")

/** Uploads, waits, searches and asks; what it found is its answer. */
const TYPESCRIPT = `
import { Carrel, type Hit } from "@carrel/sdk"

export async function walk(carrel: Carrel, name: string): Promise<string> {
  const { files } = await carrel.files.upload({ source: { text: ${JSON.stringify(SAID)} }, name })
  await carrel.files.waitUntilSearchable(files.map(({ id }) => id))
  const { hits } = await carrel.search("how many boats does the heron count?")
  const first: Hit | undefined = hits[0]
  let answer = ""
  for await (const text of carrel.conversations.stream("How many boats does the heron count?").text()) answer += text
  return [first?.text, answer].join(" | ")
}
`

describe.skipIf(!npm)("the package of npm", () => {
  let user: string
  beforeAll(async () => {
    const copy = join(room, "typescript")
    cpSync(join(SDK, "typescript"), copy, { recursive: true, filter: path => !/node_modules|dist$/.test(path) })
    const tsc = [process.execPath, join(ROOT, "node_modules/typescript/bin/tsc")]
    const config = join(SDK, "typescript/tsconfig.build.json")
    await run(ROOT, ...tsc, "--project", config, "--outDir", join(copy, "dist"))
    await run(copy, npm!, "pack", "--silent", "--pack-destination", room)
    user = folder("user")
    writeFileSync(join(user, "package.json"), '{"type": "module", "private": true}')
    const packed = readdirSync(room).find(name => name.endsWith(".tgz"))!
    await run(user, npm!, "install", "--offline", "--no-audit", "--no-fund", "--omit=peer", join(room, packed))
    writeFileSync(join(user, "walk.ts"), TYPESCRIPT)
    writeFileSync(
      join(user, "main.ts"),
      'import { Carrel } from "@carrel/sdk"\nimport { walk } from "./walk.js"\nconsole.log(await walk(new Carrel(), "heron.txt"))\n',
    )
  })

  test("holds what runs, its types, its licence and what changed, and no source of ours", async () => {
    const installed = join(user, "node_modules/@carrel/sdk")
    expect(readdirSync(installed).sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "package.json"])
    const { version } = await Bun.file(join(ROOT, "package.json")).json()
    expect((await Bun.file(join(installed, "package.json")).json()).version).toBe(version)
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" })
    expect(files.filter(name => name.endsWith(".ts") && !name.endsWith(".d.ts"))).toEqual([])
  })

  test("has the types that a strict program asks for, without those of Node", async () => {
    const options = { target: "ES2022", module: "NodeNext", strict: true, noEmit: true, types: [], skipLibCheck: false }
    const compilerOptions = { ...options, lib: ["ES2024", "DOM", "DOM.AsyncIterable"] }
    writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["walk.ts"] }))
    await run(user, process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "--project", ".")
  })

  test.each(["node", "bun"])("runs under %s", async runtime => {
    const command = runtime === "bun" ? process.execPath : Bun.which("node")
    if (!command) return console.warn("not run under Node: there is none")
    const transpiler = new Bun.Transpiler({ loader: "ts" })
    for (const name of ["walk", "main"])
      writeFileSync(join(user, `${name}.js`), transpiler.transformSync(readFileSync(join(user, `${name}.ts`), "utf8")))
    const [hit, answer] = (await run(user, command, "main.js")).split(" | ")
    expect(hit).toBe(SAID)
    expect(answer).toContain("41 boats")
  })

  test.skipIf(!hasBrowser)("runs in a page of another origin, bundled for browsers", async () => {
    writeFileSync(
      join(user, "page.ts"),
      'import { Carrel } from "@carrel/sdk"\nimport { walk } from "./walk.ts"\nObject.assign(globalThis, { walk, Carrel })\n',
    )
    const built = await Bun.build({ entrypoints: [join(user, "page.ts")], target: "browser", outdir: user })
    expect(built.success).toBe(true)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
    try {
      const page = await browser.newPage()
      await page.goto(pages.url.href)
      await page.waitForFunction(() => "walk" in globalThis)
      const said = await page.evaluate(
        ([baseUrl, token]) => {
          const { walk, Carrel } = globalThis as unknown as {
            walk(carrel: unknown, name: string): Promise<string>
            Carrel: new (options: object) => unknown
          }
          return walk(new Carrel({ baseUrl, token }), "page.txt")
        },
        [app.url, env.CARREL_TOKEN],
      )
      expect(said).toStartWith(SAID)
      expect(said).toContain("41 boats")
    } finally {
      await browser.close()
    }
  })
})

/** A Python that can build packages; undefined where no registry has what it takes. */
function buildingPython(): string | undefined {
  const python = pythonWithHttpx()
  if (!python) return undefined
  const tools = ["build==1.3.0", "hatchling==1.27.0", "mypy==1.18.2"]
  const { exitCode } = Bun.spawnSync([python, "-m", "pip", "install", "--quiet", ...tools])
  return exitCode === 0 ? python : undefined
}

const python = buildingPython()
if (!python) console.warn("the package of Python is not looked at: no Python, or no registry to have its tools from")

describe.skipIf(!python)("the package of Python", () => {
  let dist: string
  beforeAll(async () => {
    const copy = join(room, "python")
    cpSync(join(SDK, "python"), copy, { recursive: true })
    dist = folder("dist")
    await run(copy, python!, "-m", "build", "--no-isolation", "--outdir", dist, ".")
  })

  test.each(["wheel", "sdist"])("is installed from its %s alone, is typed, and runs", async kind => {
    const [made] = readdirSync(dist).filter(name => name.endsWith(kind === "wheel" ? ".whl" : ".tar.gz"))
    const user = folder(`python-${kind}`)
    await run(user, python!, "-m", "venv", "--system-site-packages", "venv")
    const own = join(user, "venv/bin/python")
    // httpx and the tools are those of the environment that made the package.
    const site = (await run(user, python!, "-c", "import site; print(site.getsitepackages()[0])")).trim()
    env.PYTHONPATH = site
    await run(user, own, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", join(dist, made!))
    cpSync(join(PROGRAMS, "walk.py"), join(user, "walk.py"))
    const where = await run(user, own, "-c", "import carrel; print(carrel.__file__)")
    expect(where).toStartWith(join(user, "venv"))
    await run(user, own, "-m", "mypy", "--strict", "walk.py")
    const [hit, answer] = (await run(user, own, "walk.py")).split(" | ")
    expect(hit).toBe(SAID)
    expect(answer).toContain("41 boats")
    delete env.PYTHONPATH
  })
})

const go = goOfSdk()

describe.skipIf(!go)("the module of Go", () => {
  test("is named by another module, vetted, and runs there, without a race where the machine can look for one", async () => {
    const user = folder("go")
    cpSync(join(PROGRAMS, "walk.go"), join(user, "main.go"))
    await run(user, go!, "mod", "init", "example.org/user")
    await run(user, go!, "mod", "edit", `-replace=carrel.internal/sdk=${join(SDK, "go")}`)
    env.GOFLAGS = "-mod=mod"
    env.GOPROXY = "off" // it needs nothing else
    await run(user, go!, "mod", "tidy")
    await run(user, go!, "vet", "./...")
    const race = Bun.which("gcc") ? ["-race"] : []
    const [hit, answer] = (await run(user, go!, "run", ...race, ".")).split(" | ")
    expect(hit).toBe(SAID)
    expect(answer).toContain("41 boats")
  })
})
