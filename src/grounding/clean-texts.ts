/**
 * What is known to hold nothing private: texts that came out of a guard or were trusted, their lines, and objects. What is
 * composed of them is not searched again: a second look would cost as much as the first, and see it in another light.
 */
import { isId } from "../id.ts"

export class CleanTexts {
  private readonly texts = new Set<string>()
  private readonly lines = new Set<string>()
  private readonly objects = new WeakSet<object>()
  /** What came of texts that were composed of clean and unknown ones. */
  private readonly changed = new Map<string, string>()

  has(text: string): boolean {
    return this.texts.has(text)
  }

  add(text: string): void {
    this.texts.add(text)
    for (const line of text.split("\n")) this.lines.add(line)
  }

  hasObject(object: object): boolean {
    return this.objects.has(object)
  }

  addObject(object: object): void {
    this.objects.add(object)
  }

  /** A text that may be put together from clean ones: only its other lines are searched. */
  async composed(text: string, redact: (unknown: string) => Promise<string>): Promise<string> {
    if (this.texts.has(text) || isId(text)) return text
    const before = this.changed.get(text)
    if (before !== undefined) return before
    const parts: string[] = []
    let unknown: string[] = []
    const search = async () => {
      if (unknown.length > 0) parts.push(await redact(unknown.join("\n")))
      unknown = []
    }
    for (const line of text.split("\n"))
      if (this.lines.has(line) || (line === "" && unknown.length === 0)) {
        await search()
        parts.push(line)
      } else unknown.push(line)
    await search()
    const clean = parts.join("\n")
    this.texts.add(clean)
    if (clean !== text) this.changed.set(text, clean)
    return clean
  }
}
