import type { Place } from "../../storage/document.ts"

/** Where a passage stands, for a model: `, page 4, section 3.2 Term`; empty where nothing is known. */
export function placeText({ page, sheet, slide, member, section }: Place): string {
  const parts = [
    member === null ? "" : `member ${member}`,
    page === null ? "" : `page ${page}`,
    sheet === null ? "" : `sheet ${sheet}`,
    slide === null ? "" : `slide ${slide}`,
    section === null ? "" : `section ${section}`,
  ].filter(Boolean)
  return parts.map(part => `, ${part}`).join("")
}
