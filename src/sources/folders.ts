/** What connectors keep on this machine between syncs: a folder for each source, which may be lost at any time. */
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Database } from "../storage/database.ts"

const MODE = 0o700

export class SourceFolders {
  /** @param root of all, absolute */
  constructor(private readonly root: string) {}

  /** Made if need be. */
  async of(sourceId: string): Promise<string> {
    const folder = join(this.root, sourceId)
    await mkdir(folder, { recursive: true, mode: MODE })
    return folder
  }

  async remove(sourceId: string): Promise<void> {
    await rm(join(this.root, sourceId), { recursive: true, force: true })
  }

  /** Removes those whose sources are no more: another node removed them, or a kill came between. */
  async sweep(database: Database): Promise<void> {
    const ids = await readdir(this.root).catch(() => [])
    for (const id of ids) {
      const source = await database.selectFrom("sources").select("id").where("id", "=", id).executeTakeFirst()
      if (!source) await this.remove(id)
    }
  }
}
