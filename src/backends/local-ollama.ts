/** Whether an Ollama runs on this machine, for people who have connected no model yet. Only the loopback is looked at. */
import { askingClient } from "./ollama-client.ts"

/** Where Ollama listens when nobody tells it otherwise. */
const USUAL = "http://127.0.0.1:11434"
/** Whoever waits for the console's first page waits for it. */
const LOOK_MS = 900
/** Pages ask every few seconds. */
const KEPT_MS = 2_000
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/

/** `absent`: nothing answers. `empty`: it runs and has no model. `ready`: it has some. */
export type OllamaState = "absent" | "empty" | "ready"

export interface FoundOllama {
  /** That was looked at; null where the settings forbid the look. */
  address: string | null
  /** It is the one that the settings name. */
  configured: boolean
  state: OllamaState
}

export class LocalOllama {
  private kept: { at: number; found: Promise<FoundOllama> } | undefined
  private readonly address: string | null
  private readonly configured: boolean

  /** @param host that the settings name. With `offline` no other address is looked at. */
  constructor(host: string, offline: boolean) {
    this.configured = LOOPBACK.test(new URL(host).hostname)
    this.address = this.configured ? host : offline ? null : USUAL
  }

  find(): Promise<FoundOllama> {
    if (!this.kept || performance.now() - this.kept.at > KEPT_MS)
      this.kept = { at: performance.now(), found: this.look() }
    return this.kept.found
  }

  private async look(): Promise<FoundOllama> {
    const { address, configured } = this
    if (address === null) return { address, configured, state: "absent" }
    const client = askingClient(address, AbortSignal.timeout(LOOK_MS), status => new Error(`Ollama answered ${status}`))
    const state = await client.list().then(
      ({ models }) => (models?.length ? "ready" : "empty"),
      () => "absent" as const,
    )
    return { address, configured, state }
  }
}
