/** POST and PUT /external/upload: one handler. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { caller, type RequestContext } from "../context.ts"
import { largeAnswer } from "../large-answer.ts"
import type { Services } from "../services.ts"
import { type FormRules, receiveFiles } from "../upload-request.ts"
import { type UploadAnswer, uploadFiles } from "./upload.docs.ts"

interface Call {
  request: Request
  principal: Principal
  context: RequestContext
}

export const uploadRoutes = ({ uploads, fileTypes }: Services) => {
  const extensions = [...fileTypes.keys()].join(", ")
  const receive = async ({ request, principal, context }: Call) =>
    largeAnswer<UploadAnswer>(await receiveFiles(uploads, { request, principal, context }, RULES), 202)
  return new Elysia()
    .use(caller)
    .post("/external/upload", receive, uploadFiles("uploadFiles", extensions)())
    .put("/external/upload", receive, uploadFiles("uploadFilesByPut", extensions)())
}

/** Any part with a file name is a file. */
const RULES: FormRules = { field: (form, name, value) => form.addField(name, value) }
