/** Files of the library as OpenAI's clients know them. */
import { Elysia } from "elysia"
import type { View } from "../../access/view.ts"
import { BATCH_PURPOSE, type BatchFile, type BatchFiles } from "../../batches/files.ts"
import { invalid } from "../../errors.ts"
import type { PurposedFile } from "../../library/file-list.ts"
import type { IdPage, IdPageRequest } from "../../library/id-pages.ts"
import type { FileRecord } from "../../library/record.ts"
import type { ReceivedFile, UploadForm } from "../../library/upload-form.ts"
import { caller } from "../context.ts"
import { fileResponse } from "../file-response.ts"
import { largeAnswer } from "../large-answer.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import { eachOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { type FormRules, receiveFiles } from "../upload-request.ts"
import * as docs from "./files.docs.ts"
import { cursorOf, idList, unixTime } from "./lists.ts"

export const fileRoutes = ({ library, uploads, batches }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/files",
      async ({ request, principal, context }) => {
        const { view } = principal
        const made = await receiveFiles(uploads, { request, principal, context }, rulesOfOne(), form =>
          form.purpose === BATCH_PURPOSE ? inputOf(batches.files, view, form) : undefined,
        )
        if (!("files" in made)) return ofBatch(made)
        return toObject(await library.purposed(view, made.files[0]!.id))
      },
      docs.createFile(),
    )
    .get(
      "/v1/files",
      async ({ query, principal: { view } }) => {
        const { purpose: given, ...cursor } = query
        const purpose = given || undefined
        const asked = { ...cursorOf(cursor, MAX_PAGE, MAX_PAGE), purpose }
        const pages = [await library.pageOfIds(view, asked), await batches.files.page(view, asked)] as const
        const { items, hasMore } = joined(asked, [
          { items: pages[0].items.map(toObject), hasMore: pages[0].hasMore },
          { items: pages[1].items.map(ofBatch), hasMore: pages[1].hasMore },
        ])
        return largeAnswer(idList(items, hasMore), 200)
      },
      docs.listFiles(),
    )
    .get(
      "/v1/files/:file_id",
      async ({ params: { file_id: id }, principal: { view } }) => {
        const apart = await batches.files.find(view, id)
        return apart ? ofBatch(apart) : toObject(await library.purposed(view, id))
      },
      docs.getFile(),
    )
    .delete(
      "/v1/files/:file_id",
      async ({ params: { file_id: id }, principal: { view }, set }) => {
        set.headers[RECEIPT_ID] = (await batches.files.delete(view, id)) ?? (await library.delete(view, id))
        return { id, object: "file" as const, deleted: true as const }
      },
      docs.deleteFile(),
    )
    .get(
      "/v1/files/:file_id/content",
      async ({ params: { file_id: id }, principal: { view }, request }) => {
        const apart = await batches.files.find(view, id)
        if (!apart) return fileResponse(await library.content(view, id), request)
        return fileResponse(
          { bytes: await batches.files.bytes(apart), record: { ...apart, mime_type: JSON_LINES } },
          request,
        )
      },
      docs.downloadFile(),
    )

const JSON_LINES = "application/jsonl"
/** Only the input of a batch may be of that type. */
const ALSO_TAKEN = new Map([["jsonl", JSON_LINES]])

/** Files that a batch reads are none of the library. */
function inputOf(files: BatchFiles, view: View, form: UploadForm): Promise<BatchFile> {
  const [{ name, stored }] = form.takeFiles() as [ReceivedFile]
  return files.add(view, name, stored)
}

/** The page of two lists that are read by the same cursor, in the order of their ids. */
function joined<Item extends { id: string }>(
  { limit, order, after, before }: IdPageRequest,
  [first, second]: readonly [IdPage<Item>, IdPage<Item>],
): IdPage<Item> {
  const isBack = before !== undefined && after === undefined
  const sign = order === "asc" ? 1 : -1
  const all = [...first.items, ...second.items].sort((a, b) => (a.id < b.id ? -sign : sign))
  const items = isBack ? all.slice(-limit) : all.slice(0, limit)
  return { items, hasMore: first.hasMore || second.hasMore || all.length > limit }
}

const MAX_PAGE = 10_000

/** Of a form with one file, which is always a file of its own: who deletes it takes nobody else's away. */
function rulesOfOne(): FormRules {
  let files = 0
  return {
    field(form, name, value) {
      if (name.startsWith("expires_after")) throw invalid("expires_after", "is not supported: files stay until deleted")
      if (name.startsWith("source_")) throw invalid(name.slice(0, 100), "belongs to uploads of /external/upload")
      if (name === "purpose") form.purpose = eachOf("purpose", [value], docs.PURPOSES)![0]!
      else form.addField(name, value)
    },
    file(form, name) {
      form.alsoTaken = ALSO_TAKEN
      if (name !== "file") throw invalid(name.slice(0, 100), "is not known: the file is named `file`")
      if (++files > 1) throw invalid("file", "must be one file")
    },
    end(form) {
      if (form.purpose === undefined) throw invalid("purpose", `must be one of ${docs.PURPOSES.join(", ")}`)
      if (!form.fields.has("on_duplicate")) form.addField("on_duplicate", "keep_both")
    },
  }
}

const STATUSES = {
  queued: "uploaded",
  indexing: "uploaded",
  searchable: "processed",
  failed: "error",
} as const satisfies Record<FileRecord["status"], docs.FileObject["status"]>

const toObject = ({ record, purpose }: PurposedFile): docs.FileObject => ({
  id: record.id,
  object: "file",
  bytes: record.size,
  created_at: unixTime(record.created_at),
  filename: record.name,
  purpose,
  status: STATUSES[record.status],
  ...(record.error ? { status_details: record.error.message } : {}),
})

const ofBatch = ({ id, size, created_at, name, purpose }: BatchFile): docs.FileObject => ({
  id,
  object: "file",
  bytes: size,
  created_at: unixTime(created_at),
  filename: name,
  purpose,
  status: "processed",
})
