/** How long requests of others wait beside something: each kind asks one after the other. */
import type { Daemon } from "../../test/support/daemon.ts"

export class Beside {
  private readonly asked: Record<string, () => Promise<unknown>>

  constructor(daemon: Daemon) {
    this.asked = {
      health: async () => void (await (await fetch(`${daemon.url}/healthz`)).text()),
      list: () => daemon.call("GET", "/libraries?page_size=10"),
      search: () => daemon.call("POST", "/search", { query: "ferry at noon" }),
      upload: () => daemon.upload(`${crypto.randomUUID()}.txt`, crypto.randomUUID()),
    }
  }

  /** Asks until `done` settles, and prints the waits of each kind under the title. */
  async watch(title: string, done: Promise<unknown>): Promise<void> {
    let ended = false
    void done.finally(() => {
      ended = true
    })
    const waits = Object.entries(this.asked).map(async ([kind, ask]) => {
      const times: number[] = []
      while (!ended) {
        const began = performance.now()
        await ask()
        times.push(performance.now() - began)
        await Bun.sleep(10)
      }
      return [kind, times] as const
    })
    for (const [kind, times] of await Promise.all(waits)) {
      const sorted = times.sort((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)
      console.log(
        `${title.padEnd(10)} ${kind.padEnd(8)} n ${String(sorted.length).padStart(5)}   p50 ${at(0.5)}   p99 ${at(0.99)}   max ${at(1)} ms`,
      )
    }
  }
}

/** One form of small files. @param first number of the first of them */
export function formOf(files: number, bytes: number, first = 0): { body: string; contentType: string } {
  const parts = Array.from({ length: files }, (_, i) => {
    const text = `File ${first + i}: ${"the ferry leaves at noon. ".repeat(Math.ceil(bytes / 26))}`.slice(0, bytes)
    return `--b\r\nContent-Disposition: form-data; name="files"; filename="many-${first + i}.txt"\r\n\r\n${text}\r\n`
  })
  return { body: `${parts.join("")}--b--\r\n`, contentType: "multipart/form-data; boundary=b" }
}
