/** Looking at processes from outside. */
import { readdirSync, readFileSync } from "node:fs"
import { until } from "./until.ts"

/** A child of the process that runs the hidden command; waits for it to be behind its fence. */
export async function childOf(pid: number, command: string): Promise<number> {
  const isFenced = (child: number) => /^Seccomp:\t2$/m.test(textOf(`/proc/${child}/status`))
  return until(() =>
    childrenOf(pid).find(child => {
      const words = textOf(`/proc/${child}/cmdline`).split("\0")
      return words.includes(command) && !words.includes("fenced") && isFenced(child)
    }),
  )
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

/** Of the processor, by all threads of the process since its start. */
export function cpuSecondsOf(pid: number): number {
  const [, , ...fields] = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /, "_ _ ")
    .split(" ")
  const ticks = Number(fields[11]) + Number(fields[12])
  return ticks / 100
}
