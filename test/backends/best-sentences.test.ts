import { expect, test } from "bun:test"
import { bestSentences } from "../../src/backends/best-sentences.ts"
import { sentencesOf } from "../../src/backends/sentences.ts"

const PASSAGES = [
  `Greenhouse handbook

The greenhouse irrigation pump must be primed every Monday before sunrise, otherwise the seedlings dry out.

The gardener opens the vents when the air is damp, and writes the temperature into the blue notebook.

Spare gaskets for the pump are kept in the tin labelled Heron, on the upper shelf of the potting shed.`,
  `# Minutes

## Bridge repair

The council agreed to close the Ottersby footbridge from April until the new oak planks arrive.

## Library opening

Volunteers will staff the village library on Thursday evenings; the key hangs behind the bakery counter.`,
  `Lease of the boathouse
Either party may terminate this lease with ninety days’ written notice to the harbour master.
Rent is due on the first tide of each quarter and is paid in kroner.`,
  "item,colour,quantity\nlantern,amber,12\ncompass,brass,7",
  "租赁合同规定，租户必须提前三个月书面通知房东才能终止合同。\n花园里的水泵每星期一早上需要检查。",
].map((text, at) => ({ index: at + 1, text, score: 0.6 - at * 0.1 }))

const ask = (question: string, topic = "") => bestSentences({ question, topic, passages: PASSAGES })

test.each([
  ["How often must the greenhouse irrigation pump be primed?", 1, "every Monday"],
  ["Where are the spare gaskets?", 1, "tin labelled Heron"],
  ["Who staffs the village library on Thursday evenings?", 2, "Volunteers"],
  ["Which bridge will be closed from April?", 2, "footbridge"],
  ["When does either party have to give notice to terminate the lease?", 3, "ninety days"],
  ["In what currency is the rent paid?", 3, "kroner"],
  ["And the brass compass?", 4, "compass,brass,7"],
  ["终止合同需要提前多久通知？", 5, "三个月"],
])("%s", (question, index, words) => {
  const [best] = ask(question)
  expect(best).toMatchObject({ index, text: expect.stringContaining(words) })
})

test.each([
  "What is the capital of Mongolia?",
  "Who won the world cup in 1998?",
  "How is the weather?",
  "and what about that?",
  "???",
])("says nothing about %s", question => {
  expect(ask(question)).toEqual([])
})

test("quotes are exact, without repetition, and no headings", () => {
  const twice = [...PASSAGES, { index: 6, text: PASSAGES[0]!.text, score: 0.1 }]
  const quotes = bestSentences({ question: "greenhouse pump: primed when, gaskets where?", topic: "", passages: twice })
  for (const { index, text } of quotes) expect(twice[index - 1]!.text).toContain(text)
  expect(new Set(quotes.map(({ text }) => text)).size).toBe(quotes.length)
  expect(quotes.some(({ text }) => text === "Greenhouse handbook")).toBe(false)
})

test("a follow-up of stop words takes its words from the topic", () => {
  expect(ask("and where?", "spare gaskets of the pump")[0]?.text).toContain("Heron")
})

test("sentences do not end at abbreviations, do run over a line of prose, and stop at rows", () => {
  expect(sentencesOf("Dr. Hale came at 3.15 p.m. today. He left.")).toEqual([
    "Dr. Hale came at 3.15 p.m. today.",
    "He left.",
  ])
  expect(sentencesOf("The pump in the old shed must\nbe primed. Now.")).toEqual([
    "The pump in the old shed must\nbe primed.",
    "Now.",
  ])
  expect(sentencesOf("rope,grey\ncompass,brass")).toEqual(["rope,grey", "compass,brass"])
})
