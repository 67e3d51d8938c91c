/**
 * Bounds for the library that reads Outlook items: it follows the chains of a damaged file for ever where they lead back to
 * themselves. What it goes through step by step is counted from outside, through methods that are not of its interface;
 * `test/ingest/formats/mail.test.ts` shows that they are still used.
 */
import type MsgReader from "@kenjiuno/msgreader"
import { ExtractionError } from "../../../storage/document.ts"

type Next = (offset: number) => number
type Arrange = (props: unknown[], node: unknown) => void

interface Steps {
  getNextBlock: Next
  getNextBlockSmall: Next
  createPropertyHierarchy: Arrange
}

/** A block has 64 bytes or more, and is gone through a few times. */
const BYTES_PER_STEP = 8
const MIN_STEPS = 10_000

/** @throws ExtractionError `corrupt_file` from the reading that follows, where it takes more steps than the file has blocks */
export function bounded(file: MsgReader, fileBytes: number): MsgReader {
  let left = MIN_STEPS + fileBytes / BYTES_PER_STEP
  const step = () => {
    if (--left < 0) throw new ExtractionError("corrupt_file", "the Outlook item is damaged")
  }
  const { reader } = file as unknown as { reader: Steps }
  for (const name of ["getNextBlock", "getNextBlockSmall"] as const) {
    const next = reader[name]
    reader[name] = offset => {
      step()
      return next.call(reader, offset)
    }
  }
  const arrange = reader.createPropertyHierarchy
  const counted = new WeakSet<object>()
  reader.createPropertyHierarchy = (props, node) => {
    const given = counted.has(props) ? props : countGets(props, step)
    counted.add(given)
    arrange.call(reader, given, node)
  }
  return file
}

const countGets = (list: unknown[], step: () => void): unknown[] =>
  new Proxy(list, {
    get(target, key, receiver) {
      step()
      return Reflect.get(target, key, receiver)
    },
  })
