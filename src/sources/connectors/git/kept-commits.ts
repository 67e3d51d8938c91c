/**
 * Commits with all their files, from servers that give out no single ones. A sync works in slices, each with a connector of
 * its own, and a large commit takes minutes to fetch: it stays for a while after its last use, then its file goes.
 */
import type { OpenPack } from "./pack-thread.ts"

/** What is held, and how all of it is let go. */
export interface Fetched {
  pack: OpenPack
  end(): Promise<void>
}

interface Kept {
  place: string
  commit: string
  fetched: Promise<Fetched>
  stop: AbortController
  users: number
  timer?: ReturnType<typeof setTimeout>
}

/** Longer than other sources take for their slices. */
const GRACE_MS = 5 * 60_000

export class KeptCommits {
  /** The newest of each place. */
  private readonly newest = new Map<string, Kept>()

  constructor(private readonly graceMs = GRACE_MS) {}

  /**
   * @param place the folder of the source
   * @param commit whichever is there where absent
   * @param fetch asked where it is not there; its signal ends it when nobody has wanted it for a while
   * @returns undefined where none is there and `fetch` is absent. To be released by whoever was given it
   */
  use(place: string, commit: string | undefined, fetch?: (signal: AbortSignal) => Promise<Fetched>): Use | undefined {
    const found = this.newest.get(place)
    if (found && (commit === undefined || found.commit === commit)) return this.taken(found)
    if (!fetch || commit === undefined) return undefined
    const stop = new AbortController()
    const kept: Kept = { place, commit, fetched: fetch(stop.signal), stop, users: 0 }
    this.newest.set(place, kept)
    kept.fetched.catch(() => {
      if (this.newest.get(place) === kept) this.newest.delete(place)
    })
    if (found?.users === 0) this.end(found)
    return this.taken(kept)
  }

  private taken(kept: Kept): Use {
    clearTimeout(kept.timer)
    kept.users++
    return { pack: kept.fetched.then(({ pack }) => pack), release: () => this.release(kept) }
  }

  private release(kept: Kept): void {
    if (--kept.users > 0) return
    const isNewest = this.newest.get(kept.place) === kept
    kept.timer = setTimeout(() => this.end(kept), isNewest ? this.graceMs : 0)
    kept.timer.unref()
  }

  private end(kept: Kept): void {
    clearTimeout(kept.timer)
    if (this.newest.get(kept.place) === kept) this.newest.delete(kept.place)
    kept.stop.abort(new Error("nobody wants it any more"))
    kept.fetched.then(({ end }) => end()).catch(() => {})
  }
}

export interface Use {
  pack: Promise<OpenPack>
  release(): void
}
