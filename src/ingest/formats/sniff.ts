/** The format of a file by its content, since names lie: RTF, HTML, XML and MHT under `.doc` are common. */
import { Content } from "./content.ts"
import { FORMAT_NAMES, type FormatName, formatOf } from "./formats.ts"

/** What the bytes show; else what the name promises. */
export function sniffFormat(bytes: Uint8Array, named: FormatName): FormatName {
  return shown(new Content(bytes, named, formatOf(named).plain === true)) ?? named
}

/**
 * The format of a file whose name says nothing that is known; undefined for what cannot be read: programs, sound,
 * film and the like.
 */
export function sniffUnnamed(bytes: Uint8Array): FormatName | undefined {
  const content = new Content(bytes, undefined, false)
  return content.begins(PROGRAM) ? undefined : shown(content)
}

/** Whether the beginning of a file leaves a chance that `sniffUnnamed` finds a format in the whole. */
export function mayBeReadable(head: Uint8Array): boolean {
  const content = new Content(head, undefined, false)
  return CONTAINERS.some(signature => content.begins(signature)) || sniffUnnamed(head) !== undefined
}

/** Of DOS and Windows. */
const PROGRAM = "MZ"
/** OLE and ZIP files: what they hold stands at their end. */
const CONTAINERS = ["\xd0\xcf\x11\xe0", "PK"]

/** What the name promises is asked first: a package may show several formats, and a picture is one under any name. */
function shown(content: Content): FormatName | undefined {
  const promised = FORMAT_NAMES.find(name => name === content.named)
  const order = promised ? [promised, ...FORMAT_NAMES] : FORMAT_NAMES
  return order.find(name => formatOf(name).shows?.(content))
}
