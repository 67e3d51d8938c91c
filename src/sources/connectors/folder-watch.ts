/**
 * Tells of changes below a folder. The system does where it can; file systems of the network and of other machines change
 * without telling, and there the folder is listed again and again.
 */
import { watch } from "node:fs"
import { stat, statfs } from "node:fs/promises"
import { orAbort } from "../../threads/or-abort.ts"
import { Outage } from "../connector.ts"

/** Many changes come together: one sync is enough. */
const QUIET_MS = 300
/** Longest that a change waits for others. */
const LATEST_MS = 1_200
const PACE = {
  /** How often it is looked whether the folder is still the one that is watched. */
  lookEveryMs: 5_000,
  /** How often a folder is listed that nobody tells about. */
  pollMs: 30_000,
}

/** File systems of Linux that hear nothing of what others do: nfs, smb, cifs, smb2, 9p, fuse, ceph, afs, lustre, vboxsf, prl. */
const SILENT = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f, 0x0bd00bd0, 0x786f4256,
  0x7c7c6673,
])

/** @param find where the folder is now; it throws where there is none */
export async function watchFolder(
  find: () => Promise<string>,
  changed: () => void,
  signal: AbortSignal,
  pace = PACE,
): Promise<void> {
  const path = await find()
  const isSilent = SILENT.has((await statfs(path)).type >>> 0)
  const burst = new Burst(changed)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  // A system without places left for watches throws here, or later: then it is looked at from time to time.
  let watcher = isSilent ? undefined : tryWatch(path, burst, failed.reject)
  try {
    changed()
    const first = await stat(path)
    for (let polledAt = performance.now(); ; ) {
      const pause = Bun.sleep(pace.lookEveryMs)
      await orAbort(watcher ? Promise.race([pause, failed.promise]) : pause, signal).catch(() => {
        watcher?.close()
        watcher = undefined
      })
      if (signal.aborted) return
      const now = await stat(path).catch(() => undefined)
      const isSame = now?.ino === first.ino && now.dev === first.dev && (await find()) === path
      if (!isSame) throw new Outage("the folder was replaced")
      if (watcher || performance.now() - polledAt < pace.pollMs) continue
      polledAt = performance.now()
      changed()
    }
  } finally {
    watcher?.close()
    burst.end()
  }
}

function tryWatch(path: string, burst: Burst, failed: (error: unknown) => void) {
  try {
    return watch(path, { recursive: true, persistent: false }, () => burst.note()).on("error", failed)
  } catch {
    return undefined
  }
}

/** Makes one change of many. */
class Burst {
  private timer: Timer | undefined
  private since = 0

  constructor(private readonly changed: () => void) {}

  note(): void {
    const now = performance.now()
    if (this.timer === undefined) this.since = now
    clearTimeout(this.timer)
    const waitMs = Math.max(0, Math.min(QUIET_MS, this.since + LATEST_MS - now))
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.changed()
    }, waitMs)
    this.timer.unref?.()
  }

  end(): void {
    clearTimeout(this.timer)
  }
}
