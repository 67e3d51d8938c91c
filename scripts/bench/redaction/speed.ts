/** Whole texts of 100 KB, by processor time; and how long a stream in which little is found holds each delta back. */
import type { RedactionPolicy, Redactor } from "../../../src/redaction/redact.ts"
import { ownSets } from "./sets.ts"

const PLAIN = "The quick fox jumps over the lazy dog while the committee reviews version 2.3.4 of the long report. "

export async function measureSpeed(redactor: Redactor, policy: RedactionPolicy): Promise<void> {
  const unmarked = async (file: string) =>
    [...(await ownSets(file)).values()]
      .flat()
      .join("\n")
      .replaceAll(/[«»⟦⟧]/g, "")
  const texts = {
    "sentences full of persons": await unmarked("persons.txt"),
    "sentences of thirty languages": await unmarked("languages.txt"),
    "English sentences": await unmarked("english.txt"),
    "plain prose": PLAIN,
    digits: "4111 1111 1111 1112 ",
    "one word without an end": "a\u200b1",
  }
  console.log("")
  for (const [name, text] of Object.entries(texts)) {
    for (const length of [100_000, 400_000]) {
      const sample = text.repeat(Math.ceil(length / text.length)).slice(0, length)
      const before = process.cpuUsage()
      await redactor.redact(sample, policy)
      const { user, system } = process.cpuUsage(before)
      console.log(`${length / 1000} KB of ${name}: ${((user + system) / 1000).toFixed(0)} ms of processor time`)
    }
  }
  const stream = redactor.stream(policy)
  const times: number[] = []
  for (const delta of PLAIN.repeat(10).match(/\s?\S+/g)!) {
    const start = performance.now()
    await stream.push(delta)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  console.log(
    `push of one word: median ${times[times.length >> 1]!.toFixed(2)} ms, worst ${times.at(-1)!.toFixed(1)} ms`,
  )
}
