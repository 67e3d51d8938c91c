import { hasControlCharacters } from "../control-characters.ts"
import { invalid } from "../errors.ts"

/**
 * The name of a key, user or workspace as it is kept: trimmed. Control characters are refused: an administrator's terminal
 * would obey them.
 * @throws AppError invalid_request
 */
export function checkName(text: string, maxLength = 128): string {
  const name = text.trim()
  if (!name || name.length > maxLength) throw invalid("name", `must have 1 to ${maxLength} characters`)
  if (hasControlCharacters(name)) throw invalid("name", "must have no control characters")
  if (!name.isWellFormed()) throw invalid("name", "must be well-formed Unicode")
  return name
}
