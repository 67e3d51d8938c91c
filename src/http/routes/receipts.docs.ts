/** What the routes of receipts take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { listOf, nullable, pageQuery, Time } from "../schemas.ts"

const RECEIPT_EXAMPLE = "rcpt_01m7y48vkz3s85f1acdta2"

const Receipt = t.Object(
  {
    id: t.String({ examples: [RECEIPT_EXAMPLE] }),
    what: t.String({
      description:
        "What was deleted: `file`, `version` (the former bytes of a file that was replaced), `conversation`, `run`, `response`, `batch_file`, `end_user`, `workspace`; or what deleted it: `bulk`, `retention`",
      examples: ["file"],
    }),
    ids: t.Array(t.String(), { examples: [["file_01m7y48vkz3s85f1acdta2"]] }),
    sha256s: t.Array(t.String(), {
      description: "Of the bytes that were deleted; of an end user that of the name in UTF-8 as well",
      examples: [["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]],
    }),
    removed_from: t.Array(t.String(), {
      description: "Stores that have none of it",
      examples: [["database", "originals", "texts", "keyword_index", "vectors", "temporary_files", "database_log"]],
    }),
    at: Time,
    backups_until: nullable(Time, {
      description:
        "When the last backup is gone that may hold it, as far as `--backup-retention-days` says; null where it does not",
      examples: [null],
    }),
    signature: t.String({
      description: "Base64 of the Ed25519 signature over the RFC 8785 form of the receipt without it",
      examples: [
        "dG8gYmUgbWFkZSBieSB0aGUgaW5zdGFsbGF0aW9uIHRoYXQgZGVsZXRlZCBpdCwgb3ZlciB0aGUgcmVzdCBvZiB0aGUgcmVjZWlwdA==",
      ],
    }),
  },
  { title: "Receipt" },
)

const Key = t.Object(
  {
    kty: t.Literal("OKP"),
    crv: t.Literal("Ed25519"),
    x: t.String({ examples: ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"] }),
    kid: t.String({ examples: ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"] }),
    use: t.Literal("sig"),
    alg: t.Literal("EdDSA"),
  },
  { title: "ReceiptKey" },
)

const of = { scope: "retention", tag: "Receipts", audit: "nothing" } as const

export const listReceipts = operation({
  ...of,
  id: "listReceipts",
  summary: "List receipts of deletions",
  description:
    "Those that are written, the newest first. A key or token with limits sees those of what it deleted itself.",
  query: t.Object({
    ...pageQuery,
    resource: t.Optional(
      t.String({ maxLength: 256, description: "Id of something that was deleted, or the name of an end user" }),
    ),
  }),
  answers: { 200: { description: "A page", schema: listOf(Receipt, "ReceiptList") } },
})

export const getReceiptKey = operation({
  ...of,
  id: "getReceiptKey",
  summary: "Get the key of receipts",
  description: "The public key as a JWK. It is made once for an installation; keep it beside the receipts.",
  answers: { 200: { description: "The key", schema: Key } },
})

export const getReceipt = operation({
  ...of,
  id: "getReceipt",
  summary: "Get the receipt of a deletion",
  description: `Written when the bytes are gone from every store, the pages and logs of its files included: some seconds after the
deletion, up to an hour in large indexes. Until then the answer is 404 with \`Retry-After\`.`,
  params: t.Object({ receipt_id: t.String() }),
  answers: { 200: { description: "The receipt", schema: Receipt } },
  errors: ["not_found"],
})
