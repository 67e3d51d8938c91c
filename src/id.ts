/**
 * Prefixed ids, sortable by creation time: `file_` + 10 characters of time + 12 random ones, Crockford base 32.
 * Within one process ids of the same millisecond still ascend: the random part is then counted up.
 */
export type IdPrefix =
  | "file"
  | "chunk"
  | "conv"
  | "msg"
  | "run"
  | "key"
  | "req"
  | "job"
  | "user"
  | "ws"
  | "sess"
  | "inv"
  | "call"

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const RANDOM_LENGTH = 12
let lastTime = 0
let lastRandom: number[] = []

export function newId(prefix: IdPrefix): string {
  const now = Math.max(Date.now(), lastTime) // a clock that jumps back must not break the order
  if (now === lastTime) increment(lastRandom)
  else
    lastRandom = [...crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH))].map((byte, i) =>
      i === 0 ? byte & 15 : byte & 31,
    )
  lastTime = now
  let time = ""
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time
  return `${prefix}_${time}${lastRandom.map(digit => ALPHABET[digit]).join("")}`
}

const ID = new RegExp(`^[a-z]{2,5}_[${ALPHABET}]{${10 + RANDOM_LENGTH}}$`)

/** Has the form of an id, whosever it is. */
export const isId = (text: string): boolean => ID.test(text)

function increment(digits: number[]): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = digits[i]! + 1
    digits[i] = next % 32
    if (next < 32) return
  }
}
