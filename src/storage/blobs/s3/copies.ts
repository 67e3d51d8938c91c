import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { orAbort } from "../../../threads/or-abort.ts"
import type { LocalFile } from "../blobs.ts"
import { writeAll } from "../scratch.ts"

interface Copy {
  path: string
  users: number
  ready: Promise<void>
  stop: AbortController
}

/** Reads what is to be copied; ends at the abort. */
type Source = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>

/** Copies of stored bytes on this machine's disk, for readers that want a file. Who wants the same at a time shares one. */
export class Copies {
  private readonly copies = new Map<string, Copy>()
  private count = 0

  constructor(private readonly directory: string) {}

  /** @throws what the source throws, ENOSPC, the reason of `signal`; the copying itself ends when nobody waits for it */
  async get(key: string, source: Source, signal?: AbortSignal): Promise<LocalFile> {
    signal?.throwIfAborted()
    const copy = this.copies.get(key) ?? this.make(key, source)
    copy.users++
    let isLeft = false
    const leave = async () => {
      if (isLeft) return
      isLeft = true
      await this.leave(key, copy)
    }
    try {
      await (signal ? orAbort(copy.ready, signal) : copy.ready)
    } catch (error) {
      await leave()
      throw error
    }
    return { path: copy.path, [Symbol.asyncDispose]: leave }
  }

  private make(key: string, source: Source): Copy {
    const stop = new AbortController()
    const path = join(this.directory, `copy-${process.pid}-${++this.count}`)
    const ready = write(path, source, stop.signal)
    const copy: Copy = { path, users: 0, ready, stop }
    this.copies.set(key, copy)
    ready.catch(() => this.forget(key, copy)) // told to whoever waits; who comes later tries anew
    return copy
  }

  private async leave(key: string, copy: Copy): Promise<void> {
    copy.users--
    if (copy.users > 0) return
    this.forget(key, copy)
    copy.stop.abort()
    await copy.ready.catch(() => {})
    await rm(copy.path, { force: true })
  }

  private forget(key: string, copy: Copy): void {
    if (this.copies.get(key) === copy) this.copies.delete(key)
  }
}

async function write(path: string, source: Source, signal: AbortSignal): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    for await (const bytes of await source(signal)) await writeAll(file, bytes)
  } finally {
    await file.close()
  }
}
