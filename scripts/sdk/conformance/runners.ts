/** Programs that carry calls out with an SDK: one JSON line in, one JSON line out. */
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { goOfSdk, pythonWithHttpx } from "../../../test/support/sdks.ts"

const ROOT = resolve(import.meta.dir, "../../..")
const SDK = join(ROOT, "sdk")
/** A call that hangs is a difference, not a wait. */
const LONGEST_CALL_MS = 90_000

export interface Language {
  name: string
  /** What runs it; several are compared as one language. Empty where its tools are missing, and `missing` says which. */
  kinds: { name: string; command: string[]; env?: Record<string, string>; cancels: boolean }[]
  missing: string
}

/** What can be run here, built where it has to be. */
export function languages(): Language[] {
  const python = pythonWithHttpx()
  const env = { PYTHONPATH: join(SDK, "python/src"), PYTHONDONTWRITEBYTECODE: "1" }
  const program = join(SDK, "python/conformance.py")
  const go = builtGo()
  return [
    {
      name: "TypeScript",
      kinds: [
        { name: "typescript", command: [process.execPath, join(SDK, "typescript/conformance.ts")], cancels: true },
      ],
      missing: "",
    },
    {
      name: "Python",
      kinds: python
        ? [
            { name: "python", command: [python, program], env, cancels: false },
            { name: "python-async", command: [python, program, "async"], env, cancels: true },
          ]
        : [],
      missing: "there is no python3, or httpx cannot be installed",
    },
    {
      name: "Go",
      kinds: go ? [{ name: "go", command: [go], cancels: true }] : [],
      missing: "there is no go, or one older than go.mod asks",
    },
  ]
}

function builtGo(): string | undefined {
  const go = goOfSdk()
  if (!go) return undefined
  const program = join(ROOT, ".build/sdk-conformance-go")
  mkdirSync(join(ROOT, ".build"), { recursive: true })
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" }
  const { exitCode, stderr } = Bun.spawnSync([go, "build", "-o", program, "./internal/conformance"], {
    ...{ cwd: join(SDK, "go"), env },
  })
  if (exitCode !== 0) throw new Error(`the Go runner cannot be built:\n${stderr}`)
  return program
}

export class Runner {
  private child: Bun.Subprocess<"pipe", "pipe", "inherit"> | undefined
  private lines: AsyncGenerator<string, void> | undefined

  constructor(
    private readonly command: string[],
    private readonly env: Record<string, string> = {},
  ) {}

  /** What the call gave: `{result}` or `{error}`. */
  async call(line: object): Promise<Record<string, unknown>> {
    if (!this.child) this.start()
    this.child!.stdin.write(`${JSON.stringify(line)}\n`)
    this.child!.stdin.flush()
    const late = Bun.sleep(LONGEST_CALL_MS).then(() => "late" as const)
    const got = await Promise.race([this.lines!.next(), late])
    if (got !== "late" && !got.done) return JSON.parse(got.value)
    this.kill()
    return { error: { class: got === "late" ? "NoAnswer" : "Killed" } }
  }

  /** SIGKILL; the next call starts it again. */
  kill(): void {
    this.child?.kill("SIGKILL")
    this.child = undefined
  }

  private start(): void {
    this.child = Bun.spawn(this.command, {
      ...{ stdin: "pipe", stdout: "pipe", stderr: "inherit" },
      env: { PATH: Bun.env.PATH ?? "/usr/bin:/bin", ...this.env },
    })
    this.lines = linesOf(this.child.stdout)
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop()!
    yield* lines
  }
}
