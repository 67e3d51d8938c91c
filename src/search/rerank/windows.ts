/** Cuts a long text into windows that a model can read, and chooses those that may hold the answer. */

/** A passage of the library is one window; 250 tokens of English, whose cost grows faster than their number. */
export const WINDOW_CHARS = 1_200
/** What neighboring windows share, so that a sentence stands whole in one of them. */
const SHARED_CHARS = 150
/** Windows that one text may cost: its beginning, and those that hold most words of the query. */
export const MAX_WINDOWS = 3
/** A blank is looked for so far back from where a window would end. */
const LOOK_BACK_CHARS = 80

const WORD = /[\p{L}\p{N}]{2,}/gu
/** Distinct words of the query that are looked for; a longer query names its matter among these. */
const MAX_WORDS = 64

/** The windows to judge, at most `MAX_WINDOWS`, in the order of the text. Linear in the length of the text. */
export function chosenWindows(query: string, text: string): string[] {
  const windows = windowsOf(text)
  if (windows.length <= MAX_WINDOWS) return windows
  const words = new Set((query.toLowerCase().match(WORD) ?? []).slice(0, MAX_WORDS))
  const held = windows.map(window => {
    const found = new Set(window.toLowerCase().match(WORD))
    return [...words].filter(word => found.has(word)).length
  })
  const order = windows.map((_, at) => at).slice(1)
  order.sort((a, b) => held[b]! - held[a]! || a - b)
  return [0, ...order.slice(0, MAX_WINDOWS - 1).sort((a, b) => a - b)].map(at => windows[at]!)
}

function windowsOf(text: string): string[] {
  // A last window of a few words would be a window for nothing.
  if (text.length <= WINDOW_CHARS + SHARED_CHARS) return [text]
  const windows: string[] = []
  for (let from = 0; ; ) {
    const rest = text.length - from
    if (rest <= WINDOW_CHARS + SHARED_CHARS) return [...windows, text.slice(from).toWellFormed()]
    const to = endOf(text, from + WINDOW_CHARS)
    windows.push(text.slice(from, to).toWellFormed())
    from = to - SHARED_CHARS
  }
}

function endOf(text: string, end: number): number {
  const at = text.slice(end - LOOK_BACK_CHARS, end).search(/\s\S*$/)
  return at < 0 ? end : end - LOOK_BACK_CHARS + at
}
