import { statfs } from "node:fs/promises"
import { AppError } from "../../errors.ts"

/** Disks do not fill by their floor in so short a time; small files come by the hundred in it. */
const KEPT_MS = 50

/** Free space that stored files must leave on a disk: databases that cannot grow lose more than an upload. */
export class Room {
  private seenAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly directory: string,
    private readonly floorBytes: number,
  ) {}

  /** @throws AppError insufficient_storage */
  async assert(): Promise<void> {
    if (this.floorBytes === 0 || performance.now() - this.seenAt < KEPT_MS) return
    const { bavail, bsize } = await statfs(this.directory)
    if (bavail * bsize < this.floorBytes)
      throw new AppError("insufficient_storage", {
        hint: "free space on the data directory's disk, or lower --disk-floor-mb",
      })
    this.seenAt = performance.now()
  }
}
