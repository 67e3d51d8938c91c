/** The SDKs behind a forward proxy, and with a root certificate of one's own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { type ForwardProxy, startForwardProxy } from "../support/forward-proxy.ts"
import { goOfSdk, installTypescript, installUndici, pythonWithHttpx } from "../support/sdks.ts"
import { signedByRoot } from "../support/self-signed.ts"

const ROOT = resolve(import.meta.dir, "../..")
const SOURCES = join(import.meta.dir, "programs")
const LOGIN = "Jane.Doe:pass/word@3%"
/** Of the proxy, in the forms in which they could be told. */
const SECRETS = ["pass/word@3%", encodeURIComponent("pass/word@3%"), "wrong-password", btoa(LOGIN)]

const folder = mkdtempSync(join(tmpdir(), "carrel-sdk-proxy-"))
const python = pythonWithHttpx()
const go = goOfSdk()
const node = Bun.which("node")
const hasUndici = node !== null && installUndici(folder)

/** Each reads the ways from its environment, and says a line of each. Undefined where it cannot be run. */
const PROGRAMS: Readonly<Record<string, string[] | undefined>> = {
  "TypeScript under Node": node && hasUndici ? [node, "proxy.mjs"] : undefined,
  "TypeScript under Bun": [process.execPath, "proxy.mjs"],
  Python: python ? [python, join(SOURCES, "proxy.py")] : undefined,
  "Python with asyncio": python ? [python, join(SOURCES, "proxy.py"), "async"] : undefined,
  Go: go ? [go, "run", "proxy.go"] : undefined,
}

/** An app, as a client reaches it. */
interface Reached {
  app: TestApp
  url: string
  token: string
}

let plain: Reached
let secure: Reached
let proxy: ForwardProxy
let root: string

beforeAll(async () => {
  const signed = signedByRoot()
  root = signed.root
  for (const [name, text] of Object.entries({ "cert.pem": signed.cert, "key.pem": signed.key, "note.txt": "A note." }))
    writeFileSync(join(folder, name), text)
  plain = await reached(await startTestApp())
  secure = await reached(
    await startTestApp({ "tls-cert": join(folder, "cert.pem"), "tls-key": join(folder, "key.pem") }),
  )
  proxy = await startForwardProxy(LOGIN)
  installTypescript(folder)
  for (const name of ["proxy.mjs", "proxy.go"]) copyFileSync(join(SOURCES, name), join(folder, name))
  const required = `require carrel.internal/sdk v0.0.0\n\nreplace carrel.internal/sdk => ${join(ROOT, "sdk/go")}\n`
  writeFileSync(join(folder, "go.mod"), `module example\n\ngo 1.24\n\n${required}`)
}, 120_000)

afterAll(async () => {
  proxy.stop()
  await plain.app.stop()
  await secure.app.stop()
  rmSync(folder, { recursive: true })
})

async function reached(app: TestApp): Promise<Reached> {
  const { key } = await app.client()
  return { app, url: app.url, token: [key.client_id, key.private_key, key.secret].join(".") }
}

interface Way {
  to: Reached
  /** `name:password`; none: without the proxy. */
  login?: string
  /** In place of the address of the proxy. */
  proxy?: string
  roots?: string
}

/** @returns for each way the name of the file that was brought, or the class of the error; and all that was said beside it */
async function called(command: readonly string[], ways: readonly Way[]): Promise<{ came: string; told: string }[]> {
  const given = ways.map(({ to: { url, token }, login, roots, proxy: instead }) => ({
    ...{ url, token, roots },
    proxy: login ? `http://${login.split(":").map(encodeURIComponent).join(":")}@127.0.0.1:${proxy.port}` : instead,
  }))
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ CARREL_TEST_WAYS: JSON.stringify(given), CARREL_TEST_FILE: join(folder, "note.txt") },
      ...{ PYTHONPATH: join(ROOT, "sdk/python/src"), PYTHONDONTWRITEBYTECODE: "1" },
      ...{ GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" },
    },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, err]).toEqual([0, ""])
  return out
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
}

for (const [language, command] of Object.entries(PROGRAMS)) {
  if (!command) console.warn(`${language}: not tried behind a proxy, for what runs it is not there`)

  describe.skipIf(!command)(language, () => {
    test("goes through a proxy that asks for a password, and trusts the roots that it is given alone", async () => {
      proxy.seen.length = 0
      const results = await called(command!, [
        { to: plain, login: LOGIN },
        { to: secure, login: LOGIN, roots: root },
        { to: secure, roots: root },
        { to: secure },
        { to: secure, login: LOGIN },
        { to: plain, login: "Jane.Doe:wrong-password" },
        { to: secure, login: "Jane.Doe:wrong-password", roots: root },
        { to: plain, proxy: "ftp://jane:wrong-password@proxy.corp" },
        { to: plain, proxy: "proxy.corp:wrong-password" },
      ])
      expect(results.map(({ came }) => came)).toEqual([
        ...["note.txt", "note.txt", "note.txt"],
        ...["ConnectionError", "ConnectionError"],
        ...[expect.stringMatching(/^(?:Api|API|Connection)Error$/), "ConnectionError"],
        ...Array(2).fill(expect.stringMatching(/TypeError|errorString/)),
      ])
      const plainly = proxy.seen.filter(line => line.includes(" http://"))
      expect(plainly.filter(line => !line.startsWith("407 ")).map(line => line.split(" ")[0])).toEqual([
        ...["POST", "GET", "POST"],
      ])
      expect(plainly.filter(line => line.startsWith("407 ")).length).toBeGreaterThan(0)
      const tunnels = new Set(proxy.seen.filter(line => line.includes("CONNECT")))
      expect([...tunnels].sort()).toEqual(
        [`407 CONNECT ${new URL(secure.url).host}`, `CONNECT ${new URL(secure.url).host}`].sort(),
      )
      for (const { told } of results)
        for (const secret of [...SECRETS, plain.token.split(".")[2]!, secure.token.split(".")[2]!])
          expect(told).not.toContain(secret)
    }, 120_000)
  })
}
