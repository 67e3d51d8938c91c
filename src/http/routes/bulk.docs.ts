/** What the routes of work on many files take and answer. */
import { t } from "elysia"
import { BULK_ACTIONS } from "../../library/bulk.ts"
import { FileSchema } from "../file-record.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, integer, nullable, oneOf, optional, Time } from "../schemas.ts"
import { fileChange } from "./library.docs.ts"

const JOB_ID = "job_01m7y48vkz3s85f1acdta2"

export const BulkBody = closed({
  action: oneOf(BULK_ACTIONS),
  filter: FilterSchema,
  patch: optional(t.Object(fileChange, { description: "With `patch`: as of one file" })),
  dry_run: optional(t.Boolean({ description: "Only says how many files there are, and shows some" })),
})

const matched = integer({ description: "Files that the caller sees and the filter lets pass", examples: [12] })

export const changeFiles = operation({
  id: "changeFiles",
  audit: { action: "job.create", id: "answer.job_id" },
  scope: "files:write",
  summary: "Delete, re-index or change all files that pass a filter",
  description:
    "Goes on in the background, file after file, also over a restart; `GET /external/jobs/{job_id}` says how far it is. Files that came later are left alone, and so is one that does not pass the filter any more when its turn comes.",
  tag: "Files",
  body: BulkBody,
  example: {
    action: "patch",
    filter: { type: "eq", key: "metadata.year", value: 2019 },
    patch: { tags: ["archive"] },
  },
  answers: {
    200: {
      description: "With `dry_run`",
      schema: t.Object({ matched, sample: t.Array(FileSchema, { description: "The newest, 20 at most" }) }),
    },
    202: { description: "Queued", schema: t.Object({ job_id: t.String({ examples: [JOB_ID] }), matched }) },
  },
  errors: ["invalid_filter"],
})

const Job = t.Object(
  {
    job_id: t.String({ examples: [JOB_ID] }),
    kind: t.String({ examples: ["bulk_patch"] }),
    status: oneOf(["queued", "running", "completed", "failed", "cancelled"]),
    done: integer({ description: "Files dealt with, those that failed included", examples: [12] }),
    total: integer({ examples: [12] }),
    failed: t.Array(t.String(), {
      description: "Ids of files that could not be dealt with, the first 1 000",
      examples: [[]],
    }),
    created_at: Time,
    finished_at: nullable(Time),
    receipt_id: nullable(t.String(), {
      description:
        "Of a deletion: the receipt of all its files, which is written when no store has them any more. Null also where it deleted none, such as one whose files all are held: `failed` names these",
      examples: [null],
    }),
  },
  { title: "Job" },
)

export const getJob = operation({
  id: "getJob",
  audit: "nothing",
  scope: "files:write",
  summary: "Get the state of a job",
  description:
    "`failed` as a state means that the job itself was given up; files that failed by themselves stand in `failed` of one that is completed. Kept for a week.",
  tag: "Files",
  params: t.Object({ job_id: t.String() }),
  answers: { 200: { description: "The job", schema: Job } },
  errors: ["not_found"],
})
