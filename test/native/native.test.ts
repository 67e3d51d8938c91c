import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { builtinModelsDirectory } from "../../src/native/models.ts"
import { loadNative } from "../../src/native/native.ts"

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "carrel-native-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const SOURCE = join(import.meta.dir, "../../src/native")

/** Runs `code` in a process of its own, because what it sets lasts as long as the process. */
function run(code: string) {
  const script = join(root, "script.ts")
  writeFileSync(script, `import { useNativeDirectory } from ${JSON.stringify(join(SOURCE, "native.ts"))}\n${code}`)
  const home = join(root, "home")
  const tmp = join(root, "tmp")
  for (const folder of [home, tmp]) mkdirSync(folder, { recursive: true })
  const child = Bun.spawnSync([process.execPath, script], {
    cwd: join(SOURCE, "../.."),
    // Bun keeps transpiled sources in the home directory; the executable has none.
    env: { PATH: Bun.env.PATH, HOME: home, TMPDIR: tmp, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
  })
  return { ...child, home, tmp, output: child.stdout.toString().trim(), errors: child.stderr.toString() }
}

describe("useNativeDirectory", () => {
  test("turns off telemetry and moves temporary files where libraries look: in libc's environment", () => {
    const { output } = run(`
      import { dlopen, FFIType } from "bun:ffi"
      const libc = dlopen("libc.so.6", { getenv: { args: [FFIType.cstring], returns: FFIType.cstring } })
      useNativeDirectory(${JSON.stringify(join(root, "native"))})
      for (const name of ["ORT_DISABLE_TELEMETRY", "TMPDIR"]) console.log(String(libc.symbols.getenv(Buffer.from(name + "\\0"))))
      console.log(process.pid)`)
    const [telemetry, temporary, pid] = output.split("\n")
    expect(telemetry).toBe("1")
    expect(temporary).toBe(join(root, "native/tmp", pid!))
  })

  test("removes the temporary folders of processes that are gone, not those of running ones", () => {
    const temporary = join(root, "native/tmp")
    mkdirSync(join(temporary, "999999999/.tmpabc"), { recursive: true })
    mkdirSync(join(temporary, String(process.pid)))
    run(`useNativeDirectory(${JSON.stringify(join(root, "native"))})`)
    expect(existsSync(join(temporary, "999999999"))).toBe(false)
    expect(existsSync(join(temporary, String(process.pid)))).toBe(true)
  })

  test("leaves home and the system's temporary folder empty when onnxruntime and LanceDB work", () => {
    const modules = join(SOURCE, "../../node_modules")
    const { exitCode, errors, home, tmp } = run(`
      useNativeDirectory(${JSON.stringify(join(root, "native"))})
      const { InferenceSession } = await import(${JSON.stringify(join(modules, "onnxruntime-node/dist/index.js"))})
      await InferenceSession.create(new Uint8Array([1, 2, 3])).catch(() => {})
      const { connect } = await import(${JSON.stringify(join(modules, "@lancedb/lancedb/dist/index.js"))})
      const table = await (await connect(${JSON.stringify(join(root, "index"))})).createTable("t", [{ id: 1, vector: [1, 2] }])
      await table.vectorSearch([1, 2]).limit(1).toArray()`)
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" })
    expect(readdirSync(home)).toEqual([])
    expect(readdirSync(tmp)).toEqual([])
  })
})

test("loadNative says what is missing when it is called from source", () => {
  expect(() => loadNative("lancedb", "lancedb.node")).toThrow("built without lancedb")
})

test("the built-in models are folders that hold a configuration", () => {
  expect(existsSync(join(builtinModelsDirectory(), "manifest.json"))).toBe(true)
})

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
const canBeNobody = process.getuid?.() === 0 && Bun.spawnSync([...asNobody, "true"]).exitCode === 0

test("a process removes its temporary folder when it ends", () => {
  const directory = join(root, "native")
  const { exitCode, errors } = run(`useNativeDirectory(${JSON.stringify(directory)})`)
  expect([exitCode, errors]).toEqual([0, ""])
  expect(readdirSync(join(directory, "tmp"))).toEqual([])
})

test.skipIf(!canBeNobody)("a temporary folder that another user left stops nobody", () => {
  const directory = join(root, "native")
  mkdirSync(join(directory, "tmp", "4194304", "inside"), { recursive: true, mode: 0o700 })
  for (const path of [root, directory, join(directory, "tmp")]) chmodSync(path, 0o755)
  for (const path of [directory, join(directory, "tmp")]) chownSync(path, 65534, 65534)
  const script = join(root, "start.ts")
  writeFileSync(
    script,
    `process.setgid(65534); process.setuid(65534)
     const { useNativeDirectory } = await import(${JSON.stringify(join(SOURCE, "native.ts"))})
     useNativeDirectory(${JSON.stringify(directory)})`,
  )
  const child = Bun.spawnSync([process.execPath, script], {
    env: { PATH: Bun.env.PATH, HOME: root, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
  })
  expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""])
  expect(existsSync(join(directory, "tmp", "4194304"))).toBe(true)
})
