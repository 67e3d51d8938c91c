/** Addresses in an answer that its model was not given: found in every spelling that a renderer follows, in linear time. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { foreignLinks, foreignLinkWarning, withoutForeignLinks } from "../../src/grounding/foreign-links.ts"

const EVIL = "https://evil.example/?q=secret"

describe("an address that nobody gave is found", () => {
  test.each([
    ["a link", `[here](${EVIL})`, EVIL],
    ["a link with a title", `[here]( ${EVIL} "title")`, EVIL],
    ["a picture", `![](${EVIL})`, EVIL],
    ["a picture within a link", `[![](${EVIL})](/own)`, EVIL],
    ["angle brackets, with a space", "[x](<https://evil.example/a b>)", "https://evil.example/a b"],
    ["parentheses within", "[x](https://evil.example/a_(b))", "https://evil.example/a_(b)"],
    ["a bracket and a parenthesis within", "[x](https://evil.example/](s))", "https://evil.example/](s)"],
    ["a line break before it", `[x](\n${EVIL})`, EVIL],
    ["a reference", `[x][a]\n\n[a]: ${EVIL}`, EVIL],
    ["a reference in a quote, without a scheme", "> [a]: //evil.example/x", "//evil.example/x"],
    ["an autolink", `<${EVIL}>`, EVIL],
    ["an autolink of another scheme", "<tel:123>", "tel:123"],
    ["a bare address, at the end of a sentence", `See ${EVIL}.`, EVIL],
    ["a bare address in parentheses", `(${EVIL})`, EVIL],
    ["a bare address in code", `\`${EVIL}\``, EVIL],
    ["a bare address without spaces around it", `请看${EVIL}。然后`, EVIL],
    ["a bare host", "www.evil.example/x", "www.evil.example/x"],
    ["a mail address", "write to eve@evil.example.", "mailto:eve@evil.example"],
    ["another scheme", "obsidian://open?x=1", "obsidian://open?x=1"],
    ["without a scheme", "![](//evil.example/x)", "//evil.example/x"],
    ["with backslashes of Markdown", "![](\\/\\/evil.example/x)", "//evil.example/x"],
    ["with slashes that browsers turn", '<img src="\\\\evil.example">', "\\\\evil.example"],
    ["a script", "[x](javascript:alert(1))", "javascript:alert(1)"],
    ["a script behind character references", "[x](javascript&colon;alert&lpar;1&rpar;)", "javascript:alert(1)"],
    ["data", "![x](data:text/html,x)", "data:text/html,x"],
    ["HTML", `<a href="${EVIL}">x</a>`, EVIL],
    ["HTML without quotes", "<img src=//evil.example/x>", "//evil.example/x"],
    ["HTML with character references", '<a href="https&#58;&#x2f;/evil.example/x">', "https://evil.example/x"],
    ["HTML with a line break within", '<a href="java\nscript:alert(1)">', "javascript:alert(1)"],
    ["HTML without an end", '<img src="//evil.example/x', "//evil.example/x"],
    ["a list of pictures", '<img srcset="/a 1x, //evil.example/b 2x">', "//evil.example/b"],
    ["a style", "<p style='background:url(//evil.example/x)'>", "//evil.example/x"],
    ["a set of pictures in a style", `<p style="background:image-set('//evil.example/x' 1x)">`, "//evil.example/x"],
    ["a style in its own escapes", "<p style='background:\\75rl(\\2f\\2f evil.example/x)'>", "//evil.example/x"],
    ["a style sheet", '<style>@import "//evil.example/x.css";</style>', "//evil.example/x.css"],
    ["a style without quotes", "<p style=background:url(//evil.example/x)>", "//evil.example/x"],
    [
      "a host that goes on behind a quote",
      "https://evil.example'.evil.test/?q=s",
      "https://evil.example'.evil.test/?q=s",
    ],
    [
      "a host that goes on behind a double quote",
      'https://evil.example".evil.test/',
      'https://evil.example".evil.test/',
    ],
    ["a path that goes on behind a quote", "https://evil.example/a'.s", "https://evil.example/a'.s"],
    ["a mail address whose host has an underline", "a@x_y.evil.test", "mailto:a@x_y.evil.test"],
    ["a long mail address", `${"s".repeat(80)}@evil.test`, `mailto:${"s".repeat(80)}@evil.test`],
    ["with an invisible character", "https://evil\u200b.example/", "https://evil\u200b.example/"],
  ])("%s", (_, text, address) => {
    expect(foreignLinks(text, ["https://evil.example"])).toContain(address)
    expect(foreignLinks(text, [text])).toEqual([])
    expect(foreignLinks(withoutForeignLinks(text, []), [])).toEqual([])
  })
})

test("an address with one more letter, one less, or another spelling is another address", () => {
  const given = ["See https://example.org/a?b=1 for more."]
  expect(foreignLinks("[x](https://example.org/a?b=1)", given)).toEqual([])
  for (const other of ["https://example.org/a?b=12", "https://example.org/a?b=", "https://example.org/%61?b=1"])
    expect(foreignLinks(`[x](${other})`, given)).toEqual([other])
})

test.each([
  ["a sentence", "as told (see https://example.org/a), and", "<https://example.org/a>"],
  ["quotes", 'at "https://example.org/a".', "https://example.org/a"],
  ["JSON", '{"url":"https://example.org/a","n":1}', "![](https://example.org/a)"],
  ["HTML", '<a href="https://example.org/a?x=1&amp;y=2">', "https://example.org/a?x=1&y=2"],
  ["writing without spaces", "参照：https://example.org/a、他", "https://example.org/a"],
  ["a mail address", "Ada <ada@example.org>", "[Ada](mailto:ada@example.org)"],
])("what stands in %s was given", (_, given, text) => {
  expect(foreignLinks(text, [given])).toEqual([])
})

test("places within the answer and names of files lead nowhere foreign", () => {
  expect(foreignLinks("[a](#part) [b](report.pdf) [c](/own/page) [d](Note) a:b 1:2 (c) [1]: see", [])).toEqual([])
})

test("an answer made of what was given holds nothing foreign, and one more address is always found", () => {
  const path = fc.stringMatching(/^[A-Za-z0-9/_=&%-]{1,30}[A-Za-z0-9]$/)
  const form = fc.constantFrom(
    (url: string) => `[x](${url})`,
    (url: string) => `![](${url} "t")`,
    (url: string) => `<${url}>`,
    (url: string) => `see ${url}, please`,
    (url: string) => `<img src="${url.replaceAll("&", "&amp;")}">`,
    (url: string) => `\n\n[r]: ${url}\n\n`,
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(path, form, form), { maxLength: 8 }),
      path,
      form,
      fc.string(),
      (all, own, write, noise) => {
        const url = (part: string) => `https://example.org/${part.replace(/&/g, "_")}`
        const given = all.map(([part, as]) => as(url(part))).join(" and ")
        const answer = all.map(([part, , as]) => as(url(part))).join(" or ")
        expect(foreignLinks(answer, [given])).toEqual([])
        const foreign = `https://evil.example/${own.replace(/&/g, "_")}`
        expect(foreignLinks(`${noise}\n\n${answer} ${write(foreign)}`, [given, noise])).toContain(foreign)
      },
    ),
  )
})

test("whatever a text holds, taking its foreign addresses out leaves none", () => {
  const piece = fc.constantFrom(
    "[",
    "](",
    ")",
    "(",
    "<",
    ">",
    "https://a.b/",
    "//c",
    "www.d.e",
    "f@g.h",
    '"',
    "'",
    " ",
    "\n",
    "\\",
    "&#58;",
    "src=",
    "]: ",
    "x",
    "javascript:y",
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      const text = pieces.join("")
      const foreign = foreignLinks(text, [])
      for (const address of foreignLinks(text, [text])) expect(foreign).toContain(address)
    }),
  )
})

test("the warning names twenty addresses at most, and counts the others", () => {
  expect(foreignLinkWarning([])).toBeUndefined()
  const many = Array.from({ length: 25 }, (_, at) => `https://evil.example/${at}`)
  expect(foreignLinkWarning(many)).toMatchObject({ code: "foreign_link", addresses: many.slice(0, 20), more: 5 })
  expect(foreignLinkWarning([`https://evil.example/${"x".repeat(5_000)}`])).toMatchObject({ addresses: [], more: 1 })
})
