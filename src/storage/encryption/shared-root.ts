/** The root key where threads of this process find it: in memory that they share, from the moment that it is there. */
import { KEY_BYTES } from "./aead.ts"
import type { EncryptionState } from "./keys-table.ts"

const STATES = ["off", "mixed", "sealed"] as const satisfies readonly ("off" | EncryptionState)[]
export type KeyringState = (typeof STATES)[number]

export class SharedRoot {
  private readonly bytes: Uint8Array

  /** @param memory of another thread's; a new one that is off where absent */
  constructor(readonly memory = new SharedArrayBuffer(KEY_BYTES + 1)) {
    this.bytes = new Uint8Array(memory)
  }

  get state(): KeyringState {
    return STATES[Atomics.load(this.bytes, 0)]!
  }

  /** A copy. @throws Error while there is none */
  get key(): Buffer {
    if (this.state === "off") throw new Error("there is no key: nothing is encrypted")
    return Buffer.from(this.bytes.slice(1))
  }

  begin(key: Uint8Array, state: EncryptionState): void {
    this.bytes.set(key, 1)
    this.become(state)
  }

  become(state: EncryptionState): void {
    Atomics.store(this.bytes, 0, STATES.indexOf(state))
  }

  forget(): void {
    Atomics.store(this.bytes, 0, 0)
    this.bytes.fill(0)
  }
}
