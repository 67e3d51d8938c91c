/** Where packs lie while they are read: below the source's own folder, gone with the sync, and what a kill left behind with the next one. */
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, rm, statfs } from "node:fs/promises"
import { join } from "node:path"

/** Of this process: folders of others are left over. */
const OWN = `packs-${randomUUID()}`

export class Scratch {
  private made: Promise<string> | undefined
  private files = 0

  /** @param directory of the source; there may be other files in it */
  constructor(private readonly directory: () => Promise<string>) {}

  /** Bytes that one file may take: half of what is free, so that others can still write. */
  async roomBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(await this.folder())
    return Math.floor((bavail * bsize) / 2)
  }

  /** @returns path of a new file with these bytes */
  async write(bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const path = join(await this.folder(), `${++this.files}.pack`)
    const file = await open(path, "wx", 0o600)
    try {
      for await (const part of bytes) await file.writeFile(part)
      return path
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
  }

  async remove(): Promise<void> {
    const folder = await this.made?.catch(() => undefined)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    this.made = undefined
  }

  private folder(): Promise<string> {
    this.made ??= this.make()
    return this.made
  }

  private async make(): Promise<string> {
    const directory = await this.directory()
    for (const name of await readdir(directory))
      if (name.startsWith("packs-") && !name.startsWith(OWN))
        await rm(join(directory, name), { recursive: true, force: true })
    const folder = join(directory, `${OWN}-${randomUUID()}`)
    await mkdir(folder, { recursive: true })
    return folder
  }
}
