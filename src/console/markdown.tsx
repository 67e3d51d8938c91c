/**
 * The Markdown that models write, as elements: never as HTML text, so nothing in a reply can become markup.
 * `[1]` becomes a citation where there is a source of that number, `[REDACTED_EMAIL]` a chip.
 */
import type { ComponentChildren } from "preact"

interface MarkdownProps {
  text: string
  /** Numbers that can be cited. */
  sources?: ReadonlySet<number>
  onCite?: (index: number) => void
}

export function Markdown({ text, sources, onCite }: MarkdownProps) {
  const inline = (line: string): ComponentChildren => inlines(line, sources, onCite)
  return (
    <div class="markdown" dir="auto">
      {blocksOf(text).map((block, i) => (
        // blocks only ever grow at the end while a reply streams
        <BlockView key={i} block={block} inline={inline} />
      ))}
    </div>
  )
}

type Block =
  | { kind: "paragraph"; lines: string[] }
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; lines: string[] }
  | { kind: "list"; ordered: boolean; start: number; items: string[][] }
  | { kind: "quote"; lines: string[] }
  | { kind: "table"; rows: string[][] }
  | { kind: "rule" }

const LIST = /^\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
/** Of a line without blanks around it. */
const TABLE_RULE = /^\|?\s*:?-{2,}:?(\s*\|\s*:?-{2,}:?)*(\s*\|)?$/

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  const lines = text.split("\n")
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    const last = blocks.at(-1)
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]
    if (fence) {
      const code: string[] = []
      while (++i < lines.length && !lines[i]!.trimStart().startsWith(fence)) code.push(lines[i]!)
      blocks.push({ kind: "code", lines: code })
    } else if (!line.trim()) blocks.push({ kind: "paragraph", lines: [] })
    else if (/^#{1,6}\s/.test(line)) {
      const level = line.indexOf(" ")
      blocks.push({ kind: "heading", level, text: line.slice(level).trim() })
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) blocks.push({ kind: "rule" })
    else if (LIST.test(line)) addItem(blocks, line)
    else if (line.startsWith(">")) {
      const quoted = line.replace(/^>\s?/, "")
      if (last?.kind === "quote") last.lines.push(quoted)
      else blocks.push({ kind: "quote", lines: [quoted] })
    } else if (line.includes("|") && TABLE_RULE.test((lines[i + 1] ?? "").trim())) {
      const rows = [cellsOf(line)]
      for (i += 2; i < lines.length && lines[i]!.includes("|"); i++) rows.push(cellsOf(lines[i]!))
      i--
      blocks.push({ kind: "table", rows })
    } else if (last?.kind === "list" && /^\s/.test(line)) last.items.at(-1)!.push(line.trim())
    else if (last?.kind === "paragraph") last.lines.push(line)
    else blocks.push({ kind: "paragraph", lines: [line] })
  }
  return blocks.filter(block => block.kind !== "paragraph" || block.lines.length > 0)
}

function addItem(blocks: Block[], line: string): void {
  const [, bullet, number, text] = LIST.exec(line)!
  const ordered = bullet === undefined
  // a blank line between items leaves an empty paragraph behind
  while (
    blocks.at(-1)?.kind === "paragraph" &&
    (blocks.at(-1) as { lines: string[] }).lines.length === 0 &&
    blocks.at(-2)?.kind === "list"
  )
    blocks.pop()
  const last = blocks.at(-1)
  if (last?.kind === "list" && last.ordered === ordered) last.items.push([text!])
  else blocks.push({ kind: "list", ordered, start: Number(number ?? 1), items: [[text!]] })
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map(cell => cell.trim())

interface BlockViewProps {
  block: Block
  inline: (line: string) => ComponentChildren
}

function BlockView({ block, inline }: BlockViewProps) {
  switch (block.kind) {
    case "heading":
      return (
        <p class={`heading level-${block.level}`} dir="auto">
          {inline(block.text)}
        </p>
      )
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <pre class="code" tabIndex={0}>
          {block.lines.join("\n")}
        </pre>
      )
    case "list": {
      const List = block.ordered ? "ol" : "ul"
      const items = block.items.map(lines => <li dir="auto">{inline(lines.join(" "))}</li>)
      return <List {...(block.ordered ? { start: block.start } : {})}>{items}</List>
    }
    case "quote":
      return <blockquote dir="auto">{inline(block.lines.join("\n"))}</blockquote>
    case "rule":
      return <hr />
    case "table":
      return <Table rows={block.rows} inline={inline} />
    case "paragraph":
      return <p dir="auto">{inline(block.lines.join("\n"))}</p>
  }
}

function Table({ rows: [head = [], ...body], inline }: { rows: string[][]; inline: BlockViewProps["inline"] }) {
  return (
    <div class="table-frame">
      <table class="table">
        <thead>
          <tr>
            {head.map(cell => (
              <th dir="auto">{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map(row => (
            <tr>
              {row.map(cell => (
                <td dir="auto">{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Links are shown as text with their address: a reply must not lead anybody to another host with one press. */
const INLINE =
  /(`[^`\n]+`)|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|\[REDACTED_([A-Z][A-Z0-9_]*)\]|\[(\d{1,3})\]/g

function inlines(text: string, sources?: ReadonlySet<number>, onCite?: (index: number) => void): ComponentChildren {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, redacted, cited] = match
    if (cited && !sources?.has(Number(cited))) continue
    parts.push(text.slice(at, match.index))
    at = match.index + whole.length
    if (code) parts.push(<code>{code.slice(1, -1)}</code>)
    else if (strong) parts.push(<strong>{inlines(strong, sources, onCite)}</strong>)
    else if (emphasis) parts.push(<em>{inlines(emphasis, sources, onCite)}</em>)
    else if (redacted) parts.push(<RedactedChip kind={redacted} />)
    else
      parts.push(
        <button type="button" class="cite" aria-label={`Source ${cited}`} onClick={() => onCite?.(Number(cited))}>
          {cited}
        </button>,
      )
  }
  parts.push(text.slice(at))
  return parts
}

const RedactedChip = ({ kind }: { kind: string }) => (
  <span class="redacted" title="This value was replaced before the model saw it">
    {kind.toLowerCase().replaceAll("_", " ")}
  </span>
)
