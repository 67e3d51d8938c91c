/**
 * The Markdown that models and people write, as elements. `marked` only cuts the text into tokens; they become elements
 * one by one and never HTML text, so nothing in a reply can become markup. Half of a text is drawn as far as it goes.
 * `[1]` becomes a citation where there is a source of that number, `[REDACTED_EMAIL]` a chip.
 */
import type { MarkedToken, Token, Tokens } from "marked"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Lazy } from "./lazy.tsx"
import type { MarkdownCutter } from "./markdown-tokens.ts"
import type { FormulaProps } from "./math.tsx"
import type { MathToken } from "./math-tokens.ts"
import { labelOf } from "./redacted.ts"
import { t } from "./text.ts"
import { CopyButton } from "./ui/button.tsx"
import type { Message } from "./wire.ts"

const loadFormula = async () => (await import("./math.tsx")).Formula

interface MarkdownProps {
  text: string
  /** Numbers that can be cited. */
  sources?: ReadonlySet<number>
  onCite?: (index: number) => void
  /** Which addresses can be followed; all where absent. */
  follows?: Follows
}

export type Follows = (address: string) => boolean

/** Of a reply that is being written: its addresses are checked when it is complete. */
export const followsNone: Follows = () => false

/** Of a reply: addresses that its model was not given are text. Where not all of them are named, no address is trusted. */
export function followsGiven(warnings: Message["warnings"]): Follows {
  const foreign = warnings.filter(({ code }) => code === "foreign_link")
  if (foreign.some(({ more, addresses }) => more || !addresses)) return followsNone
  const named = foreign.flatMap(({ addresses = [] }) => addresses.map(comparable))
  return address => {
    const asked = comparable(address)
    return !named.some(each => areOne(each, asked))
  }
}

/** Whether two readers may have read the same place so: where an address begins and ends they do not agree. */
const areOne = (named: string, asked: string): boolean =>
  named.endsWith(asked) ||
  (named.startsWith(asked) && /^[\p{P}\p{S}]*$/u.test(named.slice(asked.length))) ||
  (asked.startsWith(named) && /^["'`]/.test(asked.slice(named.length)))

/** The same for each way of writing an address that leads to the same place. */
function comparable(address: string): string {
  const plain = address.replace(ENTITY, (_, name: string) => ENTITIES[name] ?? "")
  const url = /^www\./i.test(plain) ? `http://${plain}` : plain
  return URL.canParse(url) ? new URL(url).href : url
}

export function Markdown({ text, sources, onCite, follows }: MarkdownProps) {
  const tokens = useTokens(text)
  const levels = levelsOf(tokens)
  const cite = useRef(onCite)
  cite.current = onCite
  const numbers = [...(sources ?? [])].join()
  const marks = useMemo(
    () => ({ sources, onCite: (index: number) => cite.current?.(index), follows }),
    [numbers, follows],
  )
  return (
    <div class="markdown" dir="auto">
      {tokens.map((token, i) => (
        <DrawnBlock key={i} token={token} marks={marks} level={levels[i]} />
      ))}
    </div>
  )
}

/** Below the title of the page, which is the first. */
const FIRST_LEVEL = 2

/** Of the headings among the tokens: none is skipped, whichever depths a text uses. */
function levelsOf(tokens: readonly Token[]): (number | undefined)[] {
  const open: number[] = []
  return tokens.map(token => {
    if (token.type !== "heading") return undefined
    while (open.length > 0 && open.at(-1)! >= token.depth) open.pop()
    return FIRST_LEVEL + open.push(token.depth) - 1
  })
}

const loadCutter = async () => (await import("./markdown-tokens.ts")).MarkdownCutter
let Cutter: typeof MarkdownCutter | undefined

/** Of a text that may grow. The reader of Markdown is not part of the first load: until it is there, the text stands as it is. */
function useTokens(text: string): readonly Token[] {
  const [, redraw] = useState(false)
  const cutter = useRef<MarkdownCutter | null>(null)
  // Once: from then on it is there for every text.
  useEffect(() => {
    if (Cutter) return
    void loadCutter().then(loaded => {
      Cutter = loaded
      redraw(true)
    })
  }, [])
  if (!Cutter) return [{ type: "text", raw: text, text, escaped: false }]
  cutter.current ??= new Cutter()
  return cutter.current.tokensOf(text)
}

/** Drawn once as long as it stays the same, however often the text behind it grows. */
const DrawnBlock = ({ token, ...props }: Omit<BlockProps, "token"> & { token: Token }) =>
  useMemo(() => <Block token={token as DrawnToken} {...props} />, [token, props.marks, props.level])

type DrawnToken = MarkedToken | MathToken
type Marks = Pick<MarkdownProps, "sources" | "onCite" | "follows">

interface TokensProps {
  tokens: readonly Token[]
  marks: Marks
}

/** Tokens only ever grow at the end while a reply streams, so their place is their key. */
const Blocks = ({ tokens, marks }: TokensProps) => (
  <>
    {tokens.map((token, i) => (
      <Block key={i} token={token as DrawnToken} marks={marks} />
    ))}
  </>
)

interface BlockProps {
  token: DrawnToken
  marks: Marks
  /** Of a heading; one inside a list or a quotation has none. */
  level?: number | undefined
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** As `dir="auto"` finds it, which does not look into what has a direction of its own. */
function directionOf(text: string): "ltr" | "rtl" | undefined {
  const [letter] = /\p{L}/u.exec(text) ?? []
  if (!letter) return undefined
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr"
}

function Block({ token, marks, level }: BlockProps) {
  switch (token.type) {
    case "space":
    case "checkbox": // drawn with its list item
      return null
    case "heading":
      return (
        <p
          class={`heading level-${token.depth}`}
          dir="auto"
          {...(level ? { role: "heading", "aria-level": level } : {})}
        >
          <Inlines tokens={token.tokens} marks={marks} />
        </p>
      )
    case "code":
      return (
        <div class="code-frame">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
          <pre class="code" tabIndex={0}>
            {token.text}
          </pre>
          <CopyButton text={token.text} label={t("Copy the code")} />
        </div>
      )
    case "list":
      return <List list={token} marks={marks} />
    case "blockquote":
      return (
        <blockquote dir={directionOf(token.text)}>
          <Blocks tokens={token.tokens} marks={marks} />
        </blockquote>
      )
    case "hr":
      return <hr />
    case "table":
      return <Table table={token} marks={marks} />
    case "paragraph":
      return (
        <p dir="auto">
          <Inlines tokens={token.tokens} marks={marks} />
        </p>
      )
    case "openMath":
      return <p class="tex">{token.text}</p>
    default:
      return <Inlines tokens={[token as Token]} marks={marks} />
  }
}

function List({ list, marks }: { list: Tokens.List; marks: Marks }) {
  const items = list.items.map((item, i) => (
    <li key={i} dir="auto" class={item.task ? "todo" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label={t("Task")} />}
      <Blocks tokens={item.tokens} marks={marks} />
    </li>
  ))
  const dir = directionOf(list.items.map(({ text }) => text).join(" "))
  return list.ordered ? (
    <ol dir={dir} start={list.start || 1}>
      {items}
    </ol>
  ) : (
    <ul dir={dir}>{items}</ul>
  )
}

function Table({ table, marks }: { table: Tokens.Table; marks: Marks }) {
  const cell = (Cell: "th" | "td", { tokens, align }: Tokens.TableCell, i: number) => (
    <Cell key={i} dir="auto" class={align ? `align-${align}` : undefined}>
      <Inlines tokens={tokens} marks={marks} />
    </Cell>
  )
  const dir = directionOf([table.header, ...table.rows].flatMap(row => row.map(({ text }) => text)).join(" "))
  return (
    <div class="table-frame" dir={dir}>
      <table class="table">
        <thead>
          <tr>{table.header.map((token, i) => cell("th", token, i))}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>{row.map((token, j) => cell("td", token, j))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Inlines = ({ tokens, marks }: TokensProps) => (
  <>
    {tokens.map((token, i) => (
      <Inline key={i} token={token as DrawnToken} marks={marks} />
    ))}
  </>
)

function Inline({ token, marks }: { token: DrawnToken; marks: Marks }) {
  const inner = (of: Token[]): ComponentChildren => <Inlines tokens={of} marks={marks} />
  switch (token.type) {
    case "strong":
      return <strong>{inner(token.tokens)}</strong>
    case "em":
      return <em>{inner(token.tokens)}</em>
    case "del":
      return <del>{inner(token.tokens)}</del>
    case "codespan":
      return <code>{token.text}</code>
    case "br":
      return <br />
    case "link":
      return (
        <OuterLink href={token.href} follows={marks.follows}>
          {inner(token.tokens)}
        </OuterLink>
      )
    case "image": // never loaded: its address would tell another host who reads what
      return (
        <OuterLink href={token.href} follows={marks.follows}>
          {token.text || token.href}
        </OuterLink>
      )
    case "math":
      return <Formula tex={token.tex} display={token.display} />
    case "escape":
      return <>{token.text}</>
    case "text":
      if (token.tokens) return <Inlines tokens={token.tokens} marks={marks} />
      return <MarkedText text={token.text} {...marks} />
    default:
      return <>{token.raw}</>
  }
}

/** What draws formulas comes with the first one; until then it stands as it is written. */
const Formula = (props: FormulaProps) => (
  <Lazy load={loadFormula} props={props} until={<code class="tex">{props.tex}</code>} />
)

/** Characters that no address holds: where one ends that has them, readers of Markdown disagree. */
const SAFE = /^(?:https?:\/\/|mailto:)[^\s<>[\]{}|\\^"`\u3000-\u303f\uff00-\uff0f\uff1a-\uff1f\p{C}]*$/iu

interface OuterLinkProps {
  href: string
  follows: Follows | undefined
  children: ComponentChildren
}

/** Anything but the web and mail stays text: `javascript:` and `data:` would act in the console. */
function OuterLink({ href, follows, children }: OuterLinkProps) {
  if (!SAFE.test(href) || follows?.(href) === false) return <>{children}</>
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

const MARK = /\[REDACTED_([A-Z][A-Z0-9_]*)\]|\[(\d{1,3})\]|&(amp|lt|gt|quot|nbsp|#39);/g
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/g
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", "#39": "'" }

/** A title or a name as it stands, but for its replacements. */
export function Replaced({ text }: { text: string }) {
  const parts = text.split(/\[REDACTED_([A-Z][A-Z0-9_]*)\]/)
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <RedactedChip key={at} kind={part} />))}</>
}

/** Plain text with its citations and chips. */
function MarkedText({ text, sources, onCite }: { text: string } & Marks) {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const { 0: whole, 1: redacted, 2: cited, 3: entity, index } of text.matchAll(MARK)) {
    if (cited && !sources?.has(Number(cited))) continue
    parts.push(text.slice(at, index))
    at = index + whole.length
    if (redacted) parts.push(<RedactedChip kind={redacted} />)
    else if (entity) parts.push(ENTITIES[entity])
    else
      parts.push(
        <button
          type="button"
          class="cite"
          aria-label={t("Source {number}", { number: cited! })}
          onClick={() => onCite?.(Number(cited))}
        >
          {cited}
        </button>,
      )
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}

/**
 * What stands in place of a private value; inside code and addresses it stays as it is written. The style sheet shows the
 * word of `data-label`, and the replacement itself at no size: that is what is selected and copied.
 */
function RedactedChip({ kind }: { kind: string }) {
  const label = labelOf(kind)
  return (
    <span
      class="redacted"
      role="img"
      aria-label={t("hidden: {kind}", { kind: label })}
      title={t("This value was replaced before the model saw it")}
      data-label={label}
    >
      <span class="replacement">{`[REDACTED_${kind}]`}</span>
    </span>
  )
}
