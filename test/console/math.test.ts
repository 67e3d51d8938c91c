/** Formulas in answers: where they stand, what they become, and what they cannot do. */
import { describe, expect, test } from "bun:test"
import { isValidElement, type VNode } from "preact"
import temml from "temml"
import { MarkdownCutter } from "../../src/console/markdown-tokens.ts"
import { mathOf } from "../../src/console/math.tsx"

interface Found {
  type: string
  tokens?: Found[]
  items?: Found[]
  tex?: string
  display?: boolean
}

/** The formulas of a text, those on lines of their own behind `>`. */
function formulasOf(text: string): string[] {
  const inside = (tokens: readonly Found[]): string[] =>
    tokens.flatMap(token =>
      token.type === "math"
        ? [`${token.display ? ">" : ""}${token.tex}`]
        : inside([...(token.tokens ?? []), ...(token.items ?? [])]),
    )
  return inside(new MarkdownCutter().tokensOf(text) as unknown as Found[])
}

/** Names of elements and attributes, and the text of it. */
function shownOf(drawn: unknown): { names: Set<string>; text: string } {
  const names = new Set<string>()
  let text = ""
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return void node.forEach(walk)
    if (!isValidElement(node)) {
      text += node ?? ""
      return
    }
    const { type, props } = node as VNode<Record<string, unknown>>
    names.add(String(type))
    for (const name of Object.keys(props)) if (name !== "children") names.add(name)
    walk(props.children)
  }
  walk(drawn)
  return { names, text }
}

test("temml is the version whose inner tree is read here", () => {
  // Another one: look whether nodes still have type, attributes, style, classes and children, or text.
  expect(temml.version).toBe("0.13.5")
})

describe("formulas", () => {
  test("stand between dollars, brackets and parentheses, in lines, lists and blocks", () => {
    expect(formulasOf("Euler: $e^{i\\pi} + 1 = 0$, and \\(a^2\\) too; $x$.")).toEqual(["e^{i\\pi} + 1 = 0", "a^2", "x"])
    expect(formulasOf("So:\n$$\na\n- b *c* = d\n$$\nand\n\\[\n# x\n\\]")).toEqual([">a\n- b *c* = d", "># x"])
    expect(formulasOf("1. first $n_1$\n   - \\[x_i\\]\n2. $$y$$")).toEqual(["n_1", ">x_i", ">y"])
    expect(formulasOf("It is $$a_b$$ here, **bold $c_d$**")).toEqual([">a_b", "c_d"])
  })

  test("are none in prices, variables of a shell, code, escapes, and what is not closed", () => {
    for (const text of [
      "It costs $5 and $10, or US$5 and CA$10.",
      "Between $5-$10, $5, or 5$ each, a 5$ bill and 10$.",
      "`$a$` and $HOME and $PATH, $HOME/$USER",
      "```sh\necho $a$ $$b$$\n```",
      "\\$a$ and \\\\(b\\\\)",
      "$$ not closed\n\n and $ more $",
      "An empty $$$$ and \\(\\), \\[ \\]",
    ])
      expect([text, formulasOf(text)]).toEqual([text, []])
  })

  test("half of one is neither a list nor emphasis while the rest is still to come", () => {
    const text = "So:\n\n$$\na_1\n- b_2\n$$\n\nThat is it."
    const seen = new Set<string>()
    const cutter = new MarkdownCutter()
    for (let end = 1; end <= text.length; end++)
      for (const { type } of cutter.tokensOf(text.slice(0, end))) seen.add(type)
    expect([...seen].toSorted()).toEqual(["math", "openMath", "paragraph", "space"])
  })

  test("become MathML", () => {
    const { names, text } = shownOf(mathOf("\\frac{a}{\\sqrt{b}} \\le \\sum_{i=1}^n x_i^2", true))
    for (const name of ["math", "mfrac", "msqrt", "munderover", "msubsup"]) expect(names).toContain(name)
    expect(text).toContain("≤")
    expect(shownOf(mathOf("\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}", true)).names).toContain("mtable")
    expect(shownOf(mathOf("\\begin{cases} x & x > 0 \\\\ 0 & \\text{else} \\end{cases}", true)).text).toContain("else")
  })

  test("that cannot be read, define macros, or are too long or too deep stay as they are written", () => {
    for (const tex of [
      "\\frac{1}{",
      "\\unknown{x}",
      "\\def\\a{\\a\\a}\\a",
      "\\newcommand{\\a}[1]{#1#1}\\a{\\a{x}}",
      "\\let\\a=\\b",
      "\\gdef\\a{x}",
      "x".repeat(3_001),
    ])
      expect([tex.slice(0, 40), mathOf(tex, false)]).toEqual([tex.slice(0, 40), null])
    for (const tex of [`${"\\sqrt{".repeat(70)}x${"}".repeat(70)}`, `${"x^{".repeat(700)}x${"}".repeat(700)}`])
      expect([tex.slice(0, 40), mathOf(tex, false)]).toEqual([tex.slice(0, 40), null])
  })

  test("nothing in one leads elsewhere, loads, names or dresses anything", () => {
    const hostile = [
      "\\href{https://evil.example}{x}",
      "\\url{https://evil.example}",
      "\\includegraphics{https://evil.example/a.png}",
      "\\htmlId{app}{x} \\htmlClass{dialog}{x} \\htmlStyle{position:fixed}{x} \\htmlData{a=b}{x}",
      "\\class{dialog}{x} \\id{app}{x} \\style{position:fixed}{x}",
      "\\color{url(https://evil.example)} x",
      "\\textcolor{red}{x} \\colorbox{red}{x} \\fcolorbox{red}{blue}{x}",
      "\\rule{9999em}{9999em} \\kern{-9999em} \\raisebox{9999em}{x}",
      "\\text{<img src=x onerror=alert(1)>}",
      "\\tag{1} \\label{a} \\ref{a}",
    ]
    for (const tex of hostile) {
      const { names } = shownOf(mathOf(tex, true))
      for (const bad of ["a", "img", "href", "src", "id", "mglyph", "script", "mathcolor", "mathbackground"])
        expect([tex, bad, names.has(bad)]).toEqual([tex, bad, false])
    }
    expect(shownOf(mathOf("\\text{<img src=x>}", true)).text).toContain("<img")
  })
})
