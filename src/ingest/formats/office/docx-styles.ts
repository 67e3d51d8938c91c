import { attribute, walkXml } from "../xml.ts"

/** Style id → heading level, by outline level or by the built-in name `heading N`; `Title` is level 1. */
export function readHeadingStyles(xml: string): Map<string, number> {
  const levels = new Map<string, number>()
  let id = ""
  walkXml(xml, {
    open(name, attributes) {
      if (name === "style") id = attribute(attributes, "styleId") ?? ""
      else if (!id) return
      else if (name === "name") {
        const style = attribute(attributes, "val") ?? ""
        const level = /^heading ([1-9])$/i.exec(style)?.[1] ?? (/^title$/i.test(style) ? "1" : undefined)
        if (level) levels.set(id, Math.min(6, Number(level)))
      } else if (name === "outlineLvl") {
        const level = outlineLevel(attribute(attributes, "val"))
        if (level !== undefined) levels.set(id, level)
      }
    },
    close(name) {
      if (name === "style") id = ""
    },
  })
  return levels
}

/** Heading level of an outline level; the tenth stands for body text. */
export function outlineLevel(value: string | undefined): number | undefined {
  const level = Number(value)
  return value !== undefined && level < 9 ? Math.min(6, level + 1) : undefined
}
