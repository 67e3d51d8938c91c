/**
 * Requests that last: streams, uploads, calls that wait for a model. Each was let in by a credential and ends with it: a
 * key that is revoked, rotated without grace, expires or loses its owner, a session that is ended. Asked every half second,
 * because the command line may revoke a key beside the daemon.
 */
import type { AppError } from "../errors.ts"
import { Trouble } from "../log.ts"
import { type Alive, credentialEnded } from "./ended.ts"

const CHECK_MS = 500

export interface OpenRequest {
  /** Aborts when the client goes away, and when the credential ends: the reason is an AppError then. */
  signal: AbortSignal
  /** The request is over. A second call does nothing. */
  close(): void
}

interface Entry {
  credential: string
  end(reason: AppError): void
}

export class OpenRequests {
  private readonly entries = new Set<Entry>()
  private timer: Timer | undefined
  private checking: Promise<void> | undefined
  private readonly trouble = new Trouble({
    begins: "whether the credentials of open requests are still good cannot be asked",
    ends: "the credentials of open requests are looked at again",
  })

  /** `alive` gives those of some credentials that are still good. */
  constructor(private readonly alive: Alive) {}

  /** Call `close` of the answer when the request is over. `ended` is told when its credential has. */
  open(credential: string, clientGone: AbortSignal, ended: (reason: AppError) => void): OpenRequest {
    const abort = new AbortController()
    const entry: Entry = {
      credential,
      end(reason) {
        abort.abort(reason)
        ended(reason)
        close()
      },
    }
    const leave = () => abort.abort()
    if (clientGone.aborted) leave()
    clientGone.addEventListener("abort", leave, { once: true })
    this.entries.add(entry)
    this.timer ??= setInterval(() => {
      this.checking ??= this.check().finally(() => {
        this.checking = undefined
      })
    }, CHECK_MS)
    const close = (): void => {
      clientGone.removeEventListener("abort", leave)
      this.entries.delete(entry)
      if (this.entries.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    }
    return { signal: abort.signal, close }
  }

  private async check(): Promise<void> {
    try {
      const asked = [...this.entries] // of those that open meanwhile nothing is known
      const alive = await this.alive([...new Set(asked.map(({ credential }) => credential))])
      for (const entry of asked)
        if (this.entries.has(entry) && !alive.has(entry.credential)) entry.end(credentialEnded())
      this.trouble.clear()
    } catch (error) {
      this.trouble.note(error)
    }
  }
}
