/** Files of what is no upload: texts, pages of the web. */
import { Elysia } from "elysia"
import { checkAcl } from "../../access/acl.ts"
import { checkContext } from "../../access/context-id.ts"
import { invalid } from "../../errors.ts"
import { checkExternalId, checkMetadata, checkTags, type UploadLabels } from "../../library/labels.ts"
import { bytesOf, textFileName, textOf } from "../../library/texts.ts"
import { pageUrl } from "../../library/web/web-pages.ts"
import { checkEvery, durationMs } from "../../timing.ts"
import { caller } from "../context.ts"
import { idempotencyKeyOf } from "../idempotency-key.ts"
import { timeOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./ingest.docs.ts"

export const ingestRoutes = ({ uploads, webPages }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/libraries/text",
      async ({ body, principal: { view, keyId }, request, context, status }) => {
        const { kind, text } = textOf(body)
        const { signal } = context.keepOpen()
        const upload = { view, keyId, idempotencyKey: idempotencyKeyOf(request) }
        const file = { name: textFileName(body.name, kind), bytes: bytesOf(text), signal }
        return status(202, await uploads.takeOne(upload, file, textLabels(body)))
      },
      docs.addText(),
    )
    .post(
      "/external/libraries/url",
      async ({ body, principal: { view, keyId }, request, context, status }) => {
        const { refresh } = body
        if (typeof refresh === "string") checkRefresh(refresh)
        const { signal } = context.keepOpen()
        const upload = { view, keyId, idempotencyKey: idempotencyKeyOf(request) }
        const onlyMainContent = body.only_main_content ?? true
        const page = { url: pageUrl(body.url), onlyMainContent, refresh, labels: labelsOf(body) }
        return status(202, await webPages.add(upload, page, signal))
      },
      docs.addUrl(),
    )

function textLabels(body: docs.TextBody): UploadLabels {
  const { external_id: externalId, url } = body
  const updatedAt = timeOf("updated_at", body.updated_at ?? undefined)
  const labels = labelsOf(body)
  return {
    ...labels,
    metadata: updatedAt === undefined ? labels.metadata : { updated_at: updatedAt, ...labels.metadata },
    ...(externalId ? { identity: { externalId: checkExternalId(externalId) } } : {}),
    ...(url === undefined ? {} : { url: checkUrl(url) }),
  }
}

const labelsOf = ({ context_id, tags, metadata, acl }: docs.LabelsBody): UploadLabels => ({
  contextId: context_id ? checkContext(context_id) : null,
  tags: checkTags(tags ?? []),
  metadata: checkMetadata(metadata ?? {}),
  onDuplicate: "return_existing",
  acl: acl === undefined ? undefined : checkAcl(acl),
})

/** A link for people: it may lead anywhere, but carries out nothing. */
function checkUrl(url: string | null): string | null {
  if (url !== null && !(/^[a-z][a-z0-9+.-]*:/i.test(url) && URL.canParse(url) && !SCRIPTED.test(url)))
    throw invalid("url", "must be an absolute address, such as https://wiki.example.org/page")
  return url && new URL(url).href
}
const SCRIPTED = /^\s*(?:javascript|data|vbscript|blob):/i

/** A server is not asked more often, whoever wants it. */
const MIN_REFRESH_MS = 60_000

function checkRefresh(refresh: string): void {
  checkEvery(refresh, "refresh")
  if (durationMs(refresh)! < MIN_REFRESH_MS) throw invalid("refresh", "must be a minute or longer")
}
