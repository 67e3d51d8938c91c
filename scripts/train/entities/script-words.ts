/**
 * Words of languages that write without spaces, out of impersonal text: each with how often it occurs.
 *
 *     bun scripts/train/entities/script-words.ts OUT.tsv TEXTS.jsonl…       # `text`, `language` a line
 */
const [out, ...sources] = process.argv.slice(2)
if (!out || sources.length === 0) throw new Error("usage: script-words.ts OUT.tsv TEXTS.jsonl…")

const segmenters = new Map(
  ["th", "zh", "zh-Hant", "ja"].map(language => [language, new Intl.Segmenter(language, { granularity: "word" })]),
)
const counts = new Map<string, number>()
for (const source of sources)
  for (const line of (await Bun.file(source).text()).split("\n")) {
    if (line === "") continue
    const { text, language } = JSON.parse(line) as { text: string; language: string }
    for (const { segment, isWordLike } of segmenters.get(language)?.segment(text) ?? [])
      if (isWordLike && !/[\p{Script=Latin}\p{N}]/u.test(segment)) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  }
await Bun.write(out, [...counts].map(([word, count]) => `${word}\t${count}\n`).join(""))

export {}
