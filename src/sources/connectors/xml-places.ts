/**
 * XML as it comes in, by the place of each element, such as `multistatus/response/href`. Libraries that take a whole text keep the
 * thread for as long as it is.
 */
import { Parser } from "htmlparser2"

interface Places {
  /** What an element counts as; its own name without it. */
  nameOf?(name: string): string
  /** Elements lie no deeper than that. */
  maxDepth: number
  /** Characters of one element's own text. */
  maxText: number
  /** Text of elements that lie less deep is passed over. */
  textFrom: number
  opened?(place: string): void
  /**
   * @param text of the element itself; of one with others in it, what stands behind the last of them
   * @param isImplied the text ended before it
   */
  closed(place: string, text: string, isImplied: boolean): void
}

export class XmlPlaces {
  private readonly path: string[] = []
  private text = ""
  private readonly parser = new Parser(
    {
      onopentag: name => this.open(this.places.nameOf?.(name) ?? name),
      ontext: text => this.add(text),
      onclosetag: (_, isImplied) => this.close(isImplied),
    },
    { xmlMode: true, decodeEntities: true },
  )

  constructor(private readonly places: Places) {}

  /** @throws Error amid the piece for what goes beyond a bound, as each tag costs as much as it lies deep */
  write(text: string): void {
    this.parser.write(text)
  }

  end(): void {
    this.parser.end()
  }

  private open(name: string): void {
    if (this.path.length >= this.places.maxDepth) throw new Error("the answer is nested too deeply")
    this.path.push(name)
    this.text = ""
    this.places.opened?.(this.path.join("/"))
  }

  private add(text: string): void {
    if (this.path.length < this.places.textFrom) return
    this.text += text
    if (this.text.length > this.places.maxText) throw new Error("the answer has a text that is too long")
  }

  private close(isImplied: boolean): void {
    const place = this.path.join("/")
    const { text } = this
    this.path.pop()
    this.text = ""
    this.places.closed(place, text, isImplied)
  }
}
