/** Files of the library as OpenAI's clients know them. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import type { PurposedFile } from "../../library/file-list.ts"
import type { FileRecord } from "../../library/record.ts"
import { caller } from "../context.ts"
import { fileResponse } from "../file-response.ts"
import { largeAnswer } from "../large-answer.ts"
import { eachOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { type FormRules, receiveFiles } from "../upload-request.ts"
import * as docs from "./files.docs.ts"
import { cursorOf, idList, unixTime } from "./lists.ts"

export const fileRoutes = ({ library, uploads }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/files",
      async ({ request, principal, context }) => {
        const { files } = await receiveFiles(uploads, { request, principal, context }, rulesOfOne())
        return toObject(await library.purposed(principal.view, files[0]!.id))
      },
      docs.createFile(),
    )
    .get(
      "/v1/files",
      async ({ query, principal }) => {
        const { purpose, ...cursor } = query
        const { items, hasMore } = await library.pageOfIds(principal.view, {
          ...cursorOf(cursor, MAX_PAGE, MAX_PAGE),
          purpose: purpose || undefined,
        })
        return largeAnswer(idList(items.map(toObject), hasMore), 200)
      },
      docs.listFiles(),
    )
    .get(
      "/v1/files/:file_id",
      async ({ params, principal }) => toObject(await library.purposed(principal.view, params.file_id)),
      docs.getFile(),
    )
    .delete(
      "/v1/files/:file_id",
      async ({ params: { file_id: id }, principal }) => {
        await library.delete(principal.view, id)
        return { id, object: "file" as const, deleted: true as const }
      },
      docs.deleteFile(),
    )
    .get(
      "/v1/files/:file_id/content",
      async ({ params, principal, request }) =>
        fileResponse(await library.content(principal.view, params.file_id), request),
      docs.downloadFile(),
    )

const MAX_PAGE = 10_000

/** Of a form with one file, which is always a file of its own: who deletes it takes nobody else's away. */
function rulesOfOne(): FormRules {
  let files = 0
  return {
    field(form, name, value) {
      if (name.startsWith("expires_after")) throw invalid("expires_after", "is not supported: files stay until deleted")
      if (name === "purpose") form.purpose = eachOf("purpose", [value], docs.PURPOSES)![0]!
      else form.addField(name, value)
    },
    file(_form, name) {
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
