/** What a program says of the source that it feeds. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import type { Entry } from "../../sources/connector.ts"
import { MAX_MANIFEST_ENTRIES, type ManifestRequest, manifestEntry } from "../../sources/manifest.ts"
import { caller } from "../context.ts"
import { readItems } from "../json-items.ts"
import { largeAnswer } from "../large-answer.ts"
import { PATIENCE } from "../multipart.ts"
import type { Services } from "../services.ts"
import { MAX_MANIFEST_BYTES, type ManifestReply, sendManifest } from "./manifest.docs.ts"

export const manifestRoutes = ({ manifests }: Pick<Services, "manifests">) =>
  new Elysia().use(caller).post(
    "/external/sources/:source_id/manifest",
    async ({ request, params, principal, context }) => {
      const { signal } = context.keepOpen()
      const asked = await readManifest(request, signal)
      context.isRead = true
      return largeAnswer<ManifestReply>(await manifests.take(principal.view, params.source_id, asked), 200)
    },
    sendManifest(),
  )

const RULES = {
  field: "entries",
  maxBytes: MAX_MANIFEST_BYTES,
  maxItems: MAX_MANIFEST_ENTRIES,
  // Keys and fingerprints of the greatest length, every character escaped, and fields that nobody knows.
  maxItemBytes: 64_000,
  silenceMs: PATIENCE.ms,
}

/** @throws AppError as `readItems`; invalid_request naming an entry or a field */
async function readManifest(request: Request, signal: AbortSignal): Promise<ManifestRequest> {
  const entries = new Map<string, Entry>()
  const take = (item: Record<string, unknown>, at: number) => {
    const entry = manifestEntry(item, at)
    if (entries.has(entry.key)) throw invalid(`entries.${at}.key`, "is told twice")
    entries.set(entry.key, entry)
  }
  const told = await readItems(request, RULES, take, signal)
  const flag = (name: "delete_missing" | "dry_run" | "force") => {
    const value = told[name] ?? undefined
    if (value !== undefined && typeof value !== "boolean") throw invalid(name, "must be true or false")
    return value
  }
  return {
    entries: [...entries.values()],
    deleteMissing: flag("delete_missing"),
    dryRun: flag("dry_run") ?? false,
    force: flag("force") ?? false,
  }
}
