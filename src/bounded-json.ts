/**
 * JSON from outside: requests, models, model servers, tool servers. The parser itself copes with any nesting, but whatever
 * walks or writes the value recurses: of 200 000 levels that takes half a second each time and ends in a full stack.
 */

/** Deepest nesting that is read; no honest value comes near. */
export const MAX_JSON_DEPTH = 64
/** Longest text that is read as one value. */
export const MAX_JSON_CHARACTERS = 4_000_000

/** What keeps a text from being read, in words for whoever wrote it. */
export class JsonOutOfBounds extends Error {}

export const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels`

/** @throws JsonOutOfBounds before anything is parsed; SyntaxError */
export function parseBounded(text: string, maxCharacters = MAX_JSON_CHARACTERS): unknown {
  if (text.length > maxCharacters) throw new JsonOutOfBounds(`is longer than ${maxCharacters} characters`)
  if (isTextTooDeep(text)) throw new JsonOutOfBounds(TOO_DEEP)
  return JSON.parse(text)
}

/** Looks at the brackets outside of strings, up to the first that is too deep; of broken JSON the answer means nothing. */
export function isTextTooDeep(json: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (inString) {
      if (unit === 0x5c)
        i++ // a backslash: the next unit is part of the string
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true
    } else if (unit === 0x7d || unit === 0x5d) depth--
  }
  return false
}

/** The same of a value that a library has parsed already; goes level by level. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 0; depth < MAX_JSON_DEPTH && level.length > 0; depth++)
    level = level.flatMap(container => Object.values(container).filter(isContainer))
  return level.length > 0
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null
