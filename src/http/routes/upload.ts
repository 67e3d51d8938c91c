/** POST and PUT /external/upload: one handler. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { caller, needScope, type RequestContext } from "../context.ts"
import { largeAnswer } from "../large-answer.ts"
import { noteResource } from "../noting.ts"
import type { Services } from "../services.ts"
import { type FormRules, receiveFiles } from "../upload-request.ts"
import { type UploadAnswer, uploadFiles } from "./upload.docs.ts"

interface Call {
  request: Request
  principal: Principal
  context: RequestContext
}

export const uploadRoutes = ({ uploads, fileTypes, broughtFiles }: Services) => {
  const extensions = [...fileTypes.keys()].join(", ")
  const receive = async ({ request, principal, context }: Call) => {
    const answer: UploadAnswer = await receiveFiles(
      uploads,
      { request, principal, context },
      rulesOf(principal),
      form => broughtFiles.take(principal.view, form),
    )
    noteResource(context, ...answer.files.map(({ id }) => id))
    return largeAnswer(answer, 202)
  }
  return new Elysia()
    .use(caller)
    .post("/external/upload", receive, uploadFiles("uploadFiles", extensions)())
    .put("/external/upload", receive, uploadFiles("uploadFilesByPut", extensions)())
}

/** Any part with a file name is a file. */
const rulesOf = (principal: Principal): FormRules => ({
  field(form, name, value) {
    if (name === "source_id") needScope(principal, "sources")
    form.addField(name, value)
  },
})
