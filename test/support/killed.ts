/** Programs that die by SIGKILL at a named point of their work; a test looks at what they leave behind. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Every point, the first and the second time that it is passed. */
export const passesOf = (points: readonly string[]): (readonly [point: string, nth: number])[] =>
  points.flatMap(point => [1, 2].map(nth => [point, nth] as const))

/** Runs a program in a new directory until it ends, and shows how it ended and what is there. @param nth of its passes */
export async function afterDeath(
  program: string,
  point: string,
  nth: number,
  look: (directory: string, exitCode: number) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "killed-"))
  try {
    const child = Bun.spawn([process.execPath, program, directory, point, String(nth)], {
      stdout: "ignore",
      stderr: "inherit",
      env: Bun.env, // what the test has added to it as well
    })
    await look(directory, await child.exited)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** In the program: the directory that it was given, and what kills it when the planned point is passed for the n-th time. */
export function plannedDeath(): { directory: string; reached: (point: string) => void } {
  const [directory = "", planned = "", nth = "1"] = process.argv.slice(2)
  let passed = 0
  return {
    directory,
    reached(point) {
      if (point === planned && ++passed === Number(nth)) process.kill(process.pid, "SIGKILL")
    },
  }
}
