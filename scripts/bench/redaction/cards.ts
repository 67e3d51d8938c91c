/** Card numbers of all networks and lengths, written as people write them; and numbers that only look like them. */
import type { Redact } from "./sets.ts"

/** Beginnings as the networks publish them, with the lengths that they issue. */
const NETWORKS: Record<string, { prefixes: string[]; lengths: number[]; groups: number[] }> = {
  Visa: { prefixes: ["4"], lengths: [13, 16, 19], groups: [4, 4, 4, 4, 3] },
  Mastercard: { prefixes: ["51", "55", "2221", "2720", "2450"], lengths: [16], groups: [4, 4, 4, 4] },
  "American Express": { prefixes: ["34", "37"], lengths: [15], groups: [4, 6, 5] },
  Discover: { prefixes: ["6011", "644", "649", "65"], lengths: [16, 19], groups: [4, 4, 4, 4, 3] },
  "Diners Club": { prefixes: ["300", "305", "3095", "36", "38", "39"], lengths: [14, 16, 19], groups: [4, 6, 4, 5] },
  JCB: { prefixes: ["3528", "3540", "3589"], lengths: [16, 17, 18, 19], groups: [4, 4, 4, 4, 3] },
  UnionPay: { prefixes: ["62"], lengths: [16, 17, 18, 19], groups: [4, 4, 4, 4, 3] },
  Maestro: {
    prefixes: ["50", "56", "58", "6304", "6759", "6763"],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
    groups: [4, 4, 4, 4, 3],
  },
  Mir: { prefixes: ["2200", "2204"], lengths: [16, 17, 18, 19], groups: [4, 4, 4, 4, 3] },
  RuPay: { prefixes: ["6070", "6521", "8172", "8201", "508500", "353100"], lengths: [16], groups: [4, 4, 4, 4] },
  Troy: { prefixes: ["9792"], lengths: [16], groups: [4, 4, 4, 4] },
  Elo: { prefixes: ["431274", "506699", "509000", "636297", "650031"], lengths: [16], groups: [4, 4, 4, 4] },
  Verve: { prefixes: ["506099", "650002"], lengths: [16, 18, 19], groups: [4, 4, 4, 4, 3] },
  Dankort: { prefixes: ["5019"], lengths: [16], groups: [4, 4, 4, 4] },
  UATP: { prefixes: ["1"], lengths: [15], groups: [4, 5, 6] },
}
const WORDINGS = [
  "my card number is {}",
  "Card: {}, exp 12/27, CVV 123",
  "please charge the credit card {}.",
  "Kreditkarte {} ist gesperrt",
  "carte bancaire n° {}",
  "pay with {}",
  "(card {})",
  'card_number="{}"',
]
const PER_PREFIX = 20

export async function measureCards(redact: Redact): Promise<void> {
  let state = 12345
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join("")
  let allFound = 0
  let all = 0
  for (const [network, { prefixes, lengths, groups }] of Object.entries(NETWORKS)) {
    let found = 0
    let total = 0
    for (const prefix of prefixes)
      for (const length of lengths)
        for (let i = 0; i < PER_PREFIX; i++) {
          const number = withCheckDigit(prefix + digits(length - prefix.length - 1))
          const written = inGroups(number, groups, ["", " ", "-", "\u00a0"][random(4)]!)
          const text = WORDINGS[random(WORDINGS.length)]!.replace("{}", written)
          const start = text.indexOf(written)
          const entities = await redact(text)
          total++
          if (entities.some(e => e.kind === "CREDIT_CARD" && e.start === start && e.end === start + written.length))
            found++
        }
    console.log(`${network.padEnd(18)} ${String(total).padStart(5)} found ${(found / total).toFixed(4)}`)
    allFound += found
    all += total
  }
  console.log(`${"all".padEnd(18)} ${String(all).padStart(5)} found ${(allFound / all).toFixed(4)}`)
  let wrong = 0
  const numbers = 3000
  for (let i = 0; i < numbers; i++) {
    const length = 12 + random(20)
    const number = digits(length)
    const valid = length <= 19 && withCheckDigit(number.slice(0, -1)) === number
    const text = ["order {} shipped", "licence {}", "serial no. {}", "{}", "tracking {}"][random(5)]!.replace(
      "{}",
      number,
    )
    if (!valid && (await redact(text)).some(({ kind }) => kind === "CREDIT_CARD")) wrong++
  }
  console.log(`numbers without a valid sum, or longer than a card: ${wrong} of ${numbers} taken for cards`)
}

function withCheckDigit(body: string): string {
  let sum = 0
  for (const [index, digit] of [...body].reverse().entries()) {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return body + ((10 - (sum % 10)) % 10)
}

function inGroups(number: string, groups: number[], separator: string): string {
  if (separator === "") return number
  const parts: string[] = []
  let at = 0
  for (const size of groups) {
    if (at >= number.length) break
    parts.push(number.slice(at, at + size))
    at += size
  }
  return [...parts, number.slice(at)].filter(part => part !== "").join(separator)
}
