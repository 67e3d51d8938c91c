/**
 * Formulas as MathML. `temml` only reads them; what it makes becomes elements one by one, of these names and attributes
 * alone, so that nothing in a formula can load, link or cover anything. One that cannot be read stays as it is written.
 */
import { type ComponentChildren, h } from "preact"
import { useMemo } from "preact/hooks"
import temml from "temml"
import { MAX_FORMULA_CHARACTERS } from "./math-tokens.ts"

/** Of the macros that TeX brings; a formula that defines its own is not read at all. */
const MAX_EXPANSIONS = 500
/** Of elements in each other: more than any formula that people read. */
const MAX_DEPTH = 60
/** In em and in points, of each measure that a formula gives. */
const MAX_SIZE: [number, number] = [20, 240]

const DEFINES = /\\(?:[egx]?def|(?:future)?let|global|long|(?:re|provide)?newcommand|define\w*)(?![a-zA-Z])/

const ELEMENTS = new Set(
  "math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mpadded mphantom mstyle menclose".split(
    " ",
  ),
)
const ATTRIBUTES = new Set(
  "accent accentunder columnalign depth display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowspacing rspace scriptlevel separator stretchy symmetric voffset width".split(
    " ",
  ),
)
/** Colours are left out: they would be chosen without knowing the theme. */
const STYLES = new Set(
  "border borderBottom borderLeft borderRight borderTop fontStyle fontWeight marginLeft mathDepth padding paddingBottom paddingLeft paddingRight paddingTop textAlign width".split(
    " ",
  ),
)
/** Those that `console.css` has lines for. */
const CLASSES = new Set(
  "menclose tml-cancel tml-overline tml-underline tml-xcancel upstrike downstrike sout".split(" "),
)
const PLAIN = /^[\w.%# -]*$/

/** A node as temml 0.13 makes it, through a door that it does not promise to keep: `test/console/math.test.ts` names it. */
interface MathNode {
  type?: string
  text?: string
  attributes?: Record<string, unknown>
  style?: Record<string, unknown>
  classes?: string[]
  children?: MathNode[]
}

export interface FormulaProps {
  tex: string
  display: boolean
}

export function Formula({ tex, display }: FormulaProps) {
  const drawn = useMemo(() => mathOf(tex, display), [tex, display])
  return drawn ? <span class={display ? "math display" : "math"}>{drawn}</span> : <code class="tex">{tex}</code>
}

/** Null for one that cannot be read, or not within its bounds. */
export function mathOf(tex: string, displayMode: boolean): ComponentChildren {
  if (tex.length > MAX_FORMULA_CHARACTERS || DEFINES.test(tex)) return null
  try {
    const settings = { displayMode, throwOnError: true, trust: false, maxExpand: MAX_EXPANSIONS, maxSize: MAX_SIZE }
    return elementOf(temml.__renderToMathMLTree(tex, settings))
  } catch {
    return null // not TeX, or too many macros or braces in each other
  }
}

function elementOf(node: MathNode, depth = 0): ComponentChildren {
  const inner = (child: MathNode): ComponentChildren => elementOf(child, depth + 1)
  if (depth > MAX_DEPTH) throw new Error("too many elements in each other")
  if (node.type === undefined) return node.text ?? node.children?.map(inner) ?? null
  if (!ELEMENTS.has(node.type)) throw new Error(`no element of a formula: ${node.type}`)
  const { type, attributes = {}, style = {}, classes = [], children = [] } = node
  const own = type === "math" ? { dir: "ltr" } : {}
  const marks = classes.filter(name => CLASSES.has(name)).join(" ")
  return h(
    type,
    {
      ...own,
      ...chosen(attributes, ATTRIBUTES),
      style: chosen(style, STYLES),
      ...(marks ? { class: marks } : {}),
    },
    ...children.map(inner),
  )
}

const chosen = (given: Record<string, unknown>, names: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      names.has(name) && PLAIN.test(String(value)) ? [[name, String(value)]] : [],
    ),
  )
