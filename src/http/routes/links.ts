/** Signed links: making one, and the page that it opens. */
import { Elysia } from "elysia"
import type { OpenedLink } from "../../access/links.ts"
import { AppError } from "../../errors.ts"
import type { Guard } from "../../grounding/guard.ts"
import { underGuard } from "../../grounding/under-guard.ts"
import type { LinkedFile } from "../../library/linked-files.ts"
import type { LinkedText } from "../../library/linked-text.ts"
import type { Place } from "../../storage/document.ts"
import { countWrongCredentials } from "../auth.ts"
import { caller, contextOf } from "../context.ts"
import { noteActor, noteResource } from "../noting.ts"
import { withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import type { Html } from "../view/html.ts"
import { filePage, isRefusal, refusalPage, type ShownFile, VIEW_HEADERS } from "../view/page.ts"
import * as docs from "./links.docs.ts"

export const linkRoutes = ({ linkedFiles }: Services) =>
  new Elysia().use(caller).post(
    "/external/links",
    async ({ body, principal, context, status }) => {
      noteResource(context, body.file_id)
      return status(201, await linkedFiles.make(principal, withoutNulls(body)))
    },
    docs.createLink(),
  )

/** Under no prefix. */
export const viewRoutes = (services: Services) =>
  new Elysia()
    .get(
      "/view/:file_id",
      ({ request }) =>
        answer(async () => {
          const { target, link } = await linkOf(request, services)
          const file = await services.linkedFiles.open(link)
          return page(200, filePage(await shownFile(file, target, request.signal, services)))
        }),
      docs.openLink(),
    )
    .get(
      "/view/:file_id/:picture",
      ({ params, request }) =>
        answer(async () => {
          if (params.picture !== "page.png") throw new AppError("not_found")
          const { link } = await linkOf(request, services)
          const file = await services.linkedFiles.open(link)
          if (await services.redactionEnforced(file.view.workspaceId)) throw new AppError("not_found")
          const { bytes } = await services.linkedFiles.picture(file, request.signal)
          return new Response(bytes, { headers: { ...VIEW_HEADERS, "Content-Type": "image/png" } })
        }),
      docs.openLinkPicture(),
    )

/** What is wrong with a link is said by a page as well. */
async function answer(show: () => Promise<Response>): Promise<Response> {
  try {
    return await show()
  } catch (error) {
    if (!(error instanceof AppError) || !isRefusal(error.status)) throw error
    const response = page(error.status, refusalPage(error.status))
    if (error.retryAfter !== undefined) response.headers.set("Retry-After", String(Math.ceil(error.retryAfter)))
    return response
  }
}

const page = (status: number, { text }: Html): Response =>
  new Response(text, { status, headers: { ...VIEW_HEADERS, "Content-Type": "text/html; charset=utf-8" } })

/**
 * From the address as it came: what the framework reads out of it has more than one spelling.
 * @throws AppError forbidden; rate_limited after too many that were made up
 */
async function linkOf(
  request: Request,
  { links, rateLimiter }: Services,
): Promise<{ target: string; link: OpenedLink }> {
  const { pathname, search } = new URL(request.url)
  const target = pathname.replace(PICTURE, "") + search
  const link = links.open(target)
  if (link === "wrong") await countWrongCredentials(contextOf(request), rateLimiter)
  if (typeof link === "string") throw new AppError("forbidden")
  noteActor(contextOf(request), "link", link.holderId)
  return { target, link }
}

/** Below the address of a page, under the same signature. */
const PICTURE = /\/page\.png$/

/** The text as it is; where the workspace insists on redaction redacted and without picture: who opens a link has shown no key. */
async function shownFile(
  file: LinkedFile,
  target: string,
  signal: AbortSignal,
  services: Services,
): Promise<ShownFile> {
  const { link, record, view } = file
  const text = await services.linkedFiles.text(file)
  return underGuard(services, view.workspaceId, false, async guard => {
    const { redacts: redacted } = guard
    const { expiresAt } = link
    const shown = { name: record.name, text, picture: undefined, redacted, expiresAt, inConsole: inConsole(link) }
    const place: Place = text?.place ?? { page: link.page, sheet: null, slide: null, member: null, section: null }
    if (!guard.redacts) {
      const page = await services.linkedFiles.page(file, text, signal)
      const address = target.replace("/view/", "").replace("?", "/page.png?")
      return { ...shown, place, picture: page && { address, width: page.width, height: page.height, page: page.page } }
    }
    return {
      ...shown,
      name: await guard.text(record.name),
      place: {
        ...place,
        sheet: place.sheet && (await guard.text(place.sheet)),
        member: place.member && (await guard.text(place.member)),
      },
      text: text && (await redactedText(text, guard)),
    }
  })
}

/** The viewer of the console, which asks for a sign-in and shows what that one may see. */
const inConsole = ({ fileId, range }: OpenedLink): string =>
  range ? `../search?file=${fileId}&at=${range.start}-${range.end}` : `../library?file=${fileId}`

/** Characters at a cut that are left out: a private value that the cut goes through is not known for one. */
const EDGE = 150

async function redactedText(text: LinkedText, guard: Guard): Promise<LinkedText> {
  const { before, passage, after, goesOnBefore, goesOnAfter } = text
  const shown = await guard.window(before + passage + after)
  const [start, end] = [before.length, before.length + passage.length]
  return {
    ...text,
    before: shown(goesOnBefore ? Math.min(start, EDGE) : 0, start),
    passage: shown(start, end),
    after: shown(end, end + after.length - (goesOnAfter ? Math.min(after.length, EDGE) : 0)),
  }
}
