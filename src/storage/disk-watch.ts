/** Asks the disk of the data directory itself, as a write and a sync of a few bytes: only that tells what it would do. */
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { diskTrouble, lacksDescriptors } from "../errors.ts"

/** An answer this old is good enough. */
const KEPT_MS = 2_000
/** A slow disk is asked further after those who wait have given up. */
const PATIENCE_MS = 1_000
/** A disk that has not answered for so long hangs. */
const HUNG_MS = 30_000

/**
 * Milliseconds that one write and sync in the data directory take.
 * @throws what the system says of a disk that takes none
 */
export async function measureSync(dataDirectory: string): Promise<number> {
  const path = join(dataDirectory, "tmp", `disk-${process.pid}-${crypto.randomUUID()}`)
  const began = performance.now()
  try {
    const file = await open(path, "wx", 0o600)
    try {
      await file.write(new Uint8Array(512))
      await file.sync()
    } finally {
      await file.close()
    }
    return performance.now() - began
  } finally {
    await rm(path, { force: true }).catch(() => {}) // what is left goes at the next start
  }
}

export class DiskWatch {
  private code: string | undefined
  private checking: Promise<void> | undefined
  private beganAt = 0
  private checkedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly dataDirectory: string) {}

  /** What the system calls the disk's trouble, such as ENOSPC, EROFS or EIO; undefined when it can be written. */
  async trouble(keptMs = KEPT_MS): Promise<string | undefined> {
    if (!this.checking && performance.now() - this.checkedAt > keptMs) {
      this.beganAt = performance.now()
      this.checking = this.check()
    }
    if (this.checking) await Promise.race([this.checking, Bun.sleep(PATIENCE_MS)])
    return this.checking && performance.now() - this.beganAt > HUNG_MS ? "ETIMEDOUT" : this.code
  }

  /** True when it takes nothing for another reason than that it is full, which the databases have a floor for. */
  async isFailing(): Promise<boolean> {
    const trouble = await this.trouble()
    return trouble !== undefined && trouble !== "ENOSPC" && trouble !== "EDQUOT"
  }

  /**
   * Whether work failed for the disk's sake alone, or for want of descriptors, which clients may hold all of. False for a
   * single file that cannot be read on a disk that works: trying again would go on for ever.
   */
  async isToBlame(error: unknown): Promise<boolean> {
    if (lacksDescriptors(error)) return true
    const trouble = diskTrouble(error)
    return trouble === "full" || (trouble === "failing" && (await this.trouble(0)) !== undefined)
  }

  /** Waits for a check that is under way, if not for long: it leaves no file behind then. */
  async close(): Promise<void> {
    if (this.checking) await Promise.race([this.checking, Bun.sleep(PATIENCE_MS)])
  }

  private async check(): Promise<void> {
    this.code = await measureSync(this.dataDirectory).then(
      () => undefined,
      error => String((error as { code?: unknown }).code ?? "EIO"),
    )
    this.checkedAt = performance.now()
    this.checking = undefined
  }
}
