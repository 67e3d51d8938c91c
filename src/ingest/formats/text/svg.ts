/** Drawings in SVG: what they say in letters. Diagrams of draw.io and Mermaid put HTML into them (`foreignObject`). */
import { tidyText } from "../clean-text.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { walkXml } from "../xml.ts"
import { decodeText } from "./decode.ts"

/** Elements whose text is shown, and those that name the drawing or a part of it for whoever cannot see it. */
const SHOWN = new Set(["text", "foreignObject", "foreignobject"])
const NAMES = new Set(["title", "desc"])
const SKIPPED = new Set(["style", "script", "metadata"])

export const extractSvg: Extractor = ({ bytes }, { out }) => addSvg(decodeText(bytes), out)

/** Adds a line for each label of a drawing. */
export function addSvg(xml: string, out: DocumentBuilder): void {
  const walk = new SvgWalk(line => out.add("paragraph", line), true)
  walkXml(xml, {
    open: name => walk.open(name),
    text: text => walk.text(text),
    close: name => walk.close(name),
  })
}

/** The children of a `switch` say the same for different programs: the first that says anything is taken. */
interface Switch {
  depth: number
  /** A child has said something, and is still open. */
  speaks: boolean
  taken: boolean
}

/** Tells the labels of a drawing while its elements go by. */
export class SvgWalk {
  /** Elements that are open. */
  depth = 0
  /** Depth of the element that is passed over with all that is in it; 0 for none. */
  private skipped = 0
  private showing = 0
  private gathered = ""
  private readonly switches: Switch[] = []

  /** @param named whether names of the drawing and its parts are told too */
  constructor(
    private readonly tell: (line: string) => void,
    private readonly named: boolean,
  ) {}

  open(name: string): void {
    this.depth++
    if (this.skipped > 0) return
    const around = this.switches.at(-1)
    const repeats = around?.taken && this.depth === around.depth + 1
    // The name of a part of a label is shown to the mouse only.
    const unshown = NAMES.has(name) && (this.showing > 0 || !this.named)
    if (repeats || unshown || SKIPPED.has(name)) this.skipped = this.depth
    else if (name === "switch") this.switches.push({ depth: this.depth, speaks: false, taken: false })
    else if (SHOWN.has(name) || NAMES.has(name)) this.showing++
    else this.gathered += " "
  }

  text(text: string): void {
    if (this.showing > 0 && this.skipped === 0) this.gathered += text
  }

  close(name: string): void {
    const { depth } = this
    this.depth--
    if (this.skipped > 0) {
      if (this.skipped === depth) this.skipped = 0
      return
    }
    if ((SHOWN.has(name) || NAMES.has(name)) && --this.showing === 0) this.flush()
    const around = this.switches.at(-1)
    if (around?.depth === depth) this.switches.pop()
    else if (around?.depth === depth - 1) around.taken = around.speaks
  }

  private flush(): void {
    const line = tidyText(this.gathered.replace(/\s+/g, " "))
    this.gathered = ""
    if (!line) return
    this.tell(line)
    for (const around of this.switches) around.speaks = true
  }
}
