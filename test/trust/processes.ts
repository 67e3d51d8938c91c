/** Looking at processes from outside. */
import { readdirSync, readFileSync } from "node:fs"

/** A child of the process that runs the hidden command; waits for it to be behind its fence. */
export async function childOf(pid: number, command: string): Promise<number> {
  for (const end = Date.now() + 20_000; Date.now() < end; await Bun.sleep(20)) {
    const found = childrenOf(pid).find(child => {
      const words = textOf(`/proc/${child}/cmdline`).split("\0")
      return (
        words.includes(command) && !words.includes("fenced") && /^Seccomp:\t2$/m.test(textOf(`/proc/${child}/status`))
      )
    })
    if (found) return found
  }
  throw new Error(`no ${command} was started`)
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  )
}

/** Empty where there is no such process any more. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

export function isAlive(pid: number): boolean {
  return /^State:\t[^ZX]/m.test(textOf(`/proc/${pid}/status`))
}

export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await Bun.sleep(20)) if (await condition()) return
  throw new Error("it did not come to be")
}
