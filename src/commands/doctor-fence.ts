/** Whether the fence around child processes holds on this system: seen by putting one up. */
import { FencedChild, fencedCommand } from "../threads/fenced-child.ts"
import type { Finding } from "./finding.ts"

/** The subject of its findings, which keep nothing else from being examined. */
export const FENCE = "fence of the readers"
const START_LIMIT_MS = 20_000

export async function examineFence(): Promise<Finding[]> {
  const child = new FencedChild(fencedCommand("reader", { memoryBytes: 500e6 }))
  try {
    const report = await Promise.race([
      child.ready,
      Bun.sleep(START_LIMIT_MS).then(() => Promise.reject(new Error("it does not start"))),
    ])
    const findings: Finding[] = []
    if (report.landlock === 0)
      findings.push({
        what: FENCE,
        state: "problem",
        text: "the kernel does not fence files (no Landlock): a document that takes over its reader could open the files of this user",
        remedy: "use Linux 5.13 or newer with `landlock` among its security modules (boot parameter lsm=)",
      })
    if (!report.seccomp)
      findings.push({
        what: FENCE,
        state: "problem",
        text: "the kernel does not fence system calls (no seccomp filter): a document that takes over its reader could use the network",
        remedy: "allow the system call seccomp where a container or service manager forbids it",
      })
    if (report.limits !== true)
      findings.push({
        what: FENCE,
        state: "problem",
        text: "limits of memory, file size and descriptors could not be set",
        remedy: "allow the system call setrlimit where a container or service manager forbids it",
      })
    if (findings.length > 0) return findings
    return [{ what: FENCE, state: "ok", text: `holds (system calls, files by Landlock ${report.landlock}, limits)` }]
  } catch (error) {
    return [
      {
        what: FENCE,
        state: "problem",
        text: `a fenced process cannot be started: ${(error as Error).message}; no document can be read`,
        remedy: "see whether the executable may be run by this user, and `dmesg` for what refused it",
      },
    ]
  } finally {
    await child.kill()
  }
}
