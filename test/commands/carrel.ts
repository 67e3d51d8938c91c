/** The command line as a user calls it: from source, or the executable that CARREL_BIN names. */
import { COMMAND } from "../support/daemon.ts"

export interface Call {
  data?: string
  input?: string
  env?: Record<string, string>
  cwd?: string
  /** A program that runs the command, such as `setpriv`. */
  under?: readonly string[]
}

/** What a version's first use of a directory shows where it takes longer than a second. */
const PROGRESS = /^(?:Unpacking libraries and models|Starting|Looking) .*\n/gm

/** `err` is without the progress of the executable's first use of a directory. */
export async function carrel(
  args: string[],
  { data, input, env, cwd, under = [] }: Call = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...under, ...COMMAND, ...args, ...(data ? ["--data", data] : [])], {
    env: {
      PATH: Bun.env.PATH ?? "",
      CARREL_OLLAMA_HOST: "http://127.0.0.1:9",
      // Without the large model, but for a test that names one.
      ...(args.includes("--embedding-model") ? {} : { CARREL_EMBEDDING_TIER: "fast" }),
      ...env,
    },
    ...(cwd ? { cwd } : {}),
    stdin: input === undefined ? "ignore" : new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err: err.replace(PROGRESS, "") }
}
