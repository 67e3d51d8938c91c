/** What the routes of pages take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer } from "../schemas.ts"

const Page = t.Object(
  {
    page: integer({ examples: [1] }),
    width: t.Number({ description: "As it is shown: points of a PDF, pixels of a picture", examples: [595] }),
    height: t.Number({ examples: [842] }),
    characters: integer({ description: "UTF-16 code units of the extracted text on it", examples: [2310] }),
    ocr: t.Boolean({ description: "Its text was recognized" }),
  },
  { title: "Page", examples: [{ page: 1, width: 595, height: 842, characters: 2310, ocr: false }] },
)

const PageMark = t.Object(
  {
    x: t.Number({ description: "Of the upper left corner, in shares (0 to 1) of the page's width" }),
    y: t.Number({ description: "The same of its height" }),
    width: t.Number(),
    height: t.Number(),
  },
  { title: "PageMark", examples: [{ x: 0.118, y: 0.243, width: 0.764, height: 0.0165 }] },
)

const range = {
  start: t.Optional(t.Integer({ description: "Offset into the file's extracted text, as positions have it" })),
  end: t.Optional(t.Integer({ description: "The same; what lies on other pages is left out" })),
}

export const listPages = operation({
  id: "listPages",
  audit: "nothing",
  scope: "files:read",
  summary: "List the pages of a document",
  description: "Of PDF files and pictures; other files have no pages that can be shown, which is 404.",
  tag: "Files",
  params: t.Object({ file_id: t.String() }),
  answers: { 200: { description: "In their order", schema: t.Array(Page, { title: "Pages" }) } },
  errors: ["not_found", "conflict", "overloaded"],
})

export const getPagePicture = operation({
  id: "getPagePicture",
  audit: { action: "file.download", id: "params.file_id" },
  scope: "files:read",
  summary: "Get a page as a picture",
  description:
    "The page as people see it, with the characters from `start` to `end` marked where one of them is given. It may be less wide than asked for where it would be very high. `If-None-Match` with the `ETag` of an earlier answer gives 304.",
  tag: "Files",
  params: t.Object({
    file_id: t.String(),
    page: t.String({ description: "Its number, from 1, and `.png`: `4.png`" }),
  }),
  query: t.Object({ width: t.Optional(t.Integer({ description: "Pixels, 320 to 2400; 1200 by default" })), ...range }),
  answers: {
    200: { description: "The picture", type: "image/png", example: "\u0089PNG…" },
    304: { description: "The picture is that of the given ETag" },
  },
  errors: ["not_found", "conflict", "overloaded"],
})

export const getPageMarks = operation({
  id: "getPageMarks",
  audit: "nothing",
  scope: "files:read",
  summary: "Find where a passage stands on a page",
  description:
    "One box a line, of whole words where the page was read by text recognition; none where the passage lies on other pages.",
  tag: "Files",
  params: t.Object({ file_id: t.String(), page: t.String({ description: "Its number, from 1: `4`" }) }),
  query: t.Object(range),
  answers: { 200: { description: "In the order of the text", schema: t.Array(PageMark, { title: "PageMarks" }) } },
  errors: ["not_found", "conflict", "overloaded"],
})
