/** Uploads, replaces, re-indexes and deletes files, and knows what of it the daemon has acknowledged. */
import { expect } from "bun:test"
import type { Reached } from "../support/daemon.ts"
import type { Chance } from "./chance.ts"

interface HeldFile {
  id: string
  name: string
  /** The one word that only this version of this file holds. */
  word: string
  /** Word of a version that was sent and not acknowledged: it may have taken the place of the other. */
  perhaps?: string
}

export class FileStorm {
  private readonly held = new Map<string, HeldFile>()
  /** Words of deleted files and replaced versions. */
  private readonly gone = new Set<string>()
  /** Deletions that were asked for and not acknowledged. */
  private readonly doubtful = new Set<string>()
  /** Files that a request is under way for: what becomes of two at once, no answer tells. */
  private readonly inHand = new Set<string>()
  /** By their word. */
  private readonly texts = new Map<string, string>()
  private serial = 0

  constructor(
    private readonly daemon: Reached,
    private readonly chance: Chance,
  ) {}

  /** Files whose existence was promised. */
  get promised(): number {
    return this.held.size
  }

  /** Ends what rages, each after what it is about. */
  over = false

  /** Goes on until the daemon is gone, or it is over. */
  async rage(): Promise<void> {
    try {
      while (!this.over) await this.act()
    } catch {
      // killed amid the request: not acknowledged
    }
  }

  private async act(): Promise<void> {
    // One in doubt is left alone until it was looked at.
    const free = [...this.held.values()].filter(({ id, perhaps }) => !this.inHand.has(id) && perhaps === undefined)
    const file = free[this.chance(Math.max(1, free.length))]
    const action = this.chance(12)
    if (!file || action < 4) return this.upload()
    if (action < 5) return this.uploadMany()
    this.inHand.add(file.id)
    try {
      await (action < 7 ? this.delete(file) : action < 10 ? this.replace(file) : this.reindex(file))
    } finally {
      this.inHand.delete(file.id)
    }
  }

  private async upload(): Promise<void> {
    const word = this.newWord()
    const name = `${word}.txt`
    const { id } = await this.daemon.upload(name, this.textOf(word))
    this.held.set(id, { id, name, word })
  }

  /** They are indexed in groups, so that kills come amid their shared commits. */
  private async uploadMany(): Promise<void> {
    const form = new FormData()
    const words = new Map<string, string>()
    for (let left = 2 + this.chance(30); left > 0; left--) {
      const word = this.newWord()
      words.set(`${word}.txt`, word)
      form.append("files", new Blob([this.textOf(word)]), `${word}.txt`)
    }
    const answer = await this.daemon.call("POST", "/upload", form)
    for (const { id, name } of answer.files) this.held.set(id, { id, name, word: words.get(name)! })
  }

  private async delete(file: HeldFile): Promise<void> {
    this.held.delete(file.id)
    this.doubtful.add(file.id)
    await this.daemon.call("DELETE", `/libraries/${file.id}`)
    this.doubtful.delete(file.id)
    this.gone.add(file.word)
  }

  private async replace(file: HeldFile): Promise<void> {
    const word = this.newWord()
    this.held.set(file.id, { ...file, perhaps: word })
    const { id } = await this.daemon.upload(file.name, this.textOf(word), { on_duplicate: "replace" })
    expect(id).toBe(file.id)
    this.gone.add(file.word)
    this.held.set(id, { ...file, word })
  }

  private async reindex({ id }: HeldFile): Promise<void> {
    await this.daemon.call("POST", `/libraries/${id}/reindex`)
  }

  private newWord = () => `stormword${this.serial++}`

  private textOf(word: string): string {
    const text = `The ${word} stands in this file.\n\n${"Filler about the harbour. ".repeat(this.chance(200))}`
    this.texts.set(word, text)
    return text
  }

  /** What was uploaded and is held: ids with their texts. After `verify`. */
  *contents(): Iterable<[id: string, text: string]> {
    for (const { id, word } of this.held.values()) yield [id, this.texts.get(word)!]
  }

  /** Waits until nothing is queued: a restart goes on with what the kill cut off. */
  async settled(): Promise<void> {
    await this.daemon.settled().catch(async error => {
      const waiting = await this.daemon.call("GET", "/libraries?status=queued,indexing&page_size=5")
      throw new Error(`files stayed queued or indexing after a restart: ${JSON.stringify(waiting.data)}`, {
        cause: error,
      })
    })
  }

  async verify(): Promise<void> {
    for (const file of this.held.values()) {
      const isNewer = file.perhaps !== undefined && (await this.holders(file.perhaps)).length > 0
      if (isNewer) this.gone.add(file.word)
      const word = isNewer ? file.perhaps! : file.word
      const found = await this.holders(word)
      if (found.length !== 1 || found[0] !== file.id)
        throw new Error(`${word} is found in [${found}]: ${JSON.stringify(await this.record(file.id))}`)
      this.held.set(file.id, { id: file.id, name: file.name, word })
    }
    for (const word of this.gone) expect({ word, found: await this.holders(word) }).toEqual({ word, found: [] })
    // A deletion that was never acknowledged has happened whole or not at all.
    for (const id of this.doubtful) {
      const record = await this.record(id)
      if (record) expect(record.status).toBe("searchable")
    }
  }

  /** Undefined for a file that is not there. */
  private record = (id: string) => this.daemon.call("GET", `/libraries/${id}`).catch(() => undefined)

  /** Files in which the word is found, one entry per passage. */
  private async holders(word: string): Promise<string[]> {
    const { hits } = await this.daemon.call("POST", "/search", { query: word, mode: "keyword", limit: 20 })
    const exact = new RegExp(`\\b${word}\\b`)
    return hits
      .filter((hit: { text: string }) => exact.test(hit.text))
      .map((hit: { file: { id: string } }) => hit.file.id)
  }
}
