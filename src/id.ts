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
  | "appr"
  | "key"
  | "req"
  | "job"
  | "user"
  | "ws"
  | "sess"
  | "inv"
  | "call"
  | "node"
  | "clus"
  | "rr"
  | "ctx"
  | "vsfb"
  | "chatcmpl"
  | "tok"
  | "resp"
  | "evt"
  | "view"
  | "whk"
  | "src"
  | "sync"
  | "batch"
  | "sched"
  | "srun"
  | "img"
  | "rcpt"
  | "gone"
  | "hold"
  | "rpass"
  | "use"
  | "jnl"
  | "aud"

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const RANDOM_LENGTH = 12
let lastTime = 0
/** The ten characters of `lastTime`. */
let timePart = ""
const random = new Uint8Array(RANDOM_LENGTH)

export function newId(prefix: IdPrefix): string {
  const now = Math.max(Date.now(), lastTime) // a clock that jumps back must not break the order
  if (now === lastTime) increment(random)
  else {
    crypto.getRandomValues(random)
    for (let i = 0; i < RANDOM_LENGTH; i++) random[i]! &= i === 0 ? 15 : 31 // room to count up
    timePart = timeOf(now)
    lastTime = now
  }
  let id = `${prefix}_${timePart}`
  for (const digit of random) id += ALPHABET[digit]
  return id
}

function timeOf(now: number): string {
  let time = ""
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time
  return time
}

const ID = new RegExp(`^[a-z]{2,5}_[${ALPHABET}]{${10 + RANDOM_LENGTH}}$`)

/** When it was made, in milliseconds since 1970; undefined for what is none. */
export function timeOfId(id: string): number | undefined {
  if (!isId(id)) return undefined
  let time = 0
  for (const digit of id.slice(-10 - RANDOM_LENGTH, -RANDOM_LENGTH)) time = time * 32 + ALPHABET.indexOf(digit)
  return time
}

/** Has the form of an id, whosever it is. */
export const isId = (text: string): boolean => ID.test(text)

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = digits[i]! + 1
    digits[i] = next % 32
    if (next < 32) return
  }
}
