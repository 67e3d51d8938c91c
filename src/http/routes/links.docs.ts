/** What the routes of signed links take and answer. */
import { t } from "elysia"
import { MAX_LINK_LIFETIME_S } from "../../access/links.ts"
import { operation } from "../operation.ts"
import { closed, integer, LINK, optional, Time } from "../schemas.ts"

const place = {
  page: optional(integer({ minimum: 1, description: "Page or slide", examples: [4] })),
  start: optional(
    integer({ minimum: 0, description: "With `end`: a passage, as in positions of hits", examples: [1234] }),
  ),
  end: optional(integer({ minimum: 1, examples: [1291] })),
}

export const createLink = operation({
  id: "createLink",
  audit: { action: "link.create", id: "noted" },
  scope: "files:read",
  summary: "Make a link that opens one place of a file without sign-in",
  description:
    "For others than the caller: hits, sources and citations bring their own links. Without a place the link opens the beginning of the file. It ends with its time, and with the key or console user that made it: `expires_at` is the earlier of what was asked for and the end of the key.",
  tag: "Links",
  body: closed({
    file_id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
    ...place,
    expires_in: optional(
      integer({ minimum: 1, maximum: MAX_LINK_LIFETIME_S, description: "Seconds; 86 400 unless given" }),
    ),
  }),
  example: { file_id: "file_01m7y48vkz3s85f1acdta2", page: 4, start: 1234, end: 1291, expires_in: 604_800 },
  answers: {
    201: {
      description: "The link",
      schema: t.Object({ url: t.String({ format: "uri", examples: [LINK] }), expires_at: Time }, { title: "NewLink" }),
    },
  },
  errors: ["not_found"],
})

const byId = t.Object({ file_id: t.String() })
/** For the reference: the handler reads the address as it came, for no other spelling of it is right. */
const query = t.Object({
  page: t.Optional(t.String()),
  start: t.Optional(t.String()),
  end: t.Optional(t.String()),
  exp: t.Optional(t.String({ description: "Unix seconds" })),
  sig: t.Optional(t.String({ description: "Whose link it is, and the signature over all before it" })),
})

const PAGES = {
  403: {
    description: "A page: the link was changed, is over, or its key is",
    type: "text/html",
    example: "<!doctype html>…",
  },
  404: {
    description: "A page: the link is good, and what it showed is gone",
    type: "text/html",
    example: "<!doctype html>…",
  },
  429: {
    description: "A page: too many wrong links from this address",
    type: "text/html",
    example: "<!doctype html>…",
  },
} as const

export const openLink = operation({
  id: "openLink",
  audit: { action: "link.open", id: "params.file_id" },
  open: true,
  summary: "Open a signed link",
  description:
    "Shows one place of one file to whoever has its address, and nothing else: the page with the passage marked, or the text around it. An address that was changed in anything is refused in the same way whether or not there is such a file.",
  tag: "Links",
  params: byId,
  query,
  answers: { 200: { description: "The page", type: "text/html", example: "<!doctype html>…" }, ...PAGES },
})

export const openLinkPicture = operation({
  id: "openLinkPicture",
  audit: { action: "link.open", id: "params.file_id" },
  open: true,
  summary: "The picture in the page of a signed link",
  description:
    "Of the one page that the link is about, with its passage marked; under the query of the link itself. 404 for documents without pages, and where the workspace insists on redaction.",
  tag: "Links",
  params: t.Object({ ...byId.properties, picture: t.String({ description: "`page.png`" }) }),
  query,
  answers: { 200: { description: "The picture", type: "image/png", example: "PNG…" }, ...PAGES },
  errors: ["conflict"],
})
