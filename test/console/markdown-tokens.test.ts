/** A text in Markdown that grows, cut anew from its last blocks only. */
import { describe, expect, test } from "bun:test"
import { MarkdownCutter } from "../../src/console/markdown-tokens.ts"

const TEXTS = [
  "# One\n\nText *with* marks\n- a\n  - b\n\n  more of b\n- c\n\n\n1. x\n2. y\n\n> quote\ngoes on\n\n    code\n    more\n\nend",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst x = 1\n\n\ny\n```\nafter\n***\n- [x] done\n- [ ] open\n\ntext\n    not code\n\n---\nlast",
  "Steps:\n-\n- a\n\n\n\nA\n<div>\nB\n\n<b>\n\n[1]: not a link\n\n[x][1] www.example.org\n\n~~~\nopen fence\n\n# no heading",
  "So $a$ and\n$$\nx\n- y\n$$\nor\n\\[z\\] q\n\n$$ open\n\n- \\[ in\n  a list \\]\n- $5 and $10\n\n\\[\nlast",
  "- a\n\n- b\n\n      deep\n\n  back\n\nout\n\n* other\n\n+ third\n\n10) ten\n\n11) eleven\n",
]

const whole = (text: string) => new MarkdownCutter().tokensOf(text)

describe("a text that grows", () => {
  test("has at each character the tokens that it has when it is cut whole", () => {
    for (const text of [...TEXTS, TEXTS.join("\n\n"), TEXTS.join("\n")]) {
      const growing = new MarkdownCutter()
      for (let end = 1; end <= text.length; end++)
        expect(growing.tokensOf(text.slice(0, end))).toEqual([...whole(text.slice(0, end))])
    }
  })

  test("another text, a shorter one, and line ends of another kind are cut whole", () => {
    const cutter = new MarkdownCutter()
    cutter.tokensOf(TEXTS[0]!)
    for (const text of [TEXTS[1]!, TEXTS[1]!.slice(0, 50), "a\r\n\r\nb", "a\r\n\r\nb\r\n\r\nc\r\n\r\nd"])
      expect(cutter.tokensOf(text)).toEqual([...whole(text)])
  })

  test("20 000 characters that come by eights are not read whole with each of them", () => {
    const paragraph = `${"Either party may end it with **six months** notice [1]. ".repeat(5)}\n\n`
    const text = paragraph.repeat(80).slice(0, 20_000)
    const cutter = new MarkdownCutter()
    for (let end = 8; end <= text.length; end += 8) cutter.tokensOf(text.slice(0, end))
    // Whole each time it would be 25 000 000; a part of the last two paragraphs each time is about 1 100 000.
    expect(cutter.cut).toBeLessThan(1_500_000)
  })
})
