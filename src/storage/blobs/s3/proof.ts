/** Whether an object storage does all that a cluster needs of it, found out before anything is stored. */
import { EngineError, OperatorError } from "../../../errors.ts"
import { pause } from "../../../threads/or-abort.ts"
import { nameOf, type ObjectStore, type S3Address, statusOf } from "./object-store.ts"

/** Whoever found no mark has written one of its own by then. */
const SETTLED_MS = 3_000
/** Says whose place it is. */
export const MARKER = "carrel-cluster.json"

export interface PlaceOptions {
  /** False for a cluster that holds files already or has nodes at work: its place is marked, and one without a mark is another. */
  mayBeNew?: boolean
  signal?: AbortSignal | undefined
}

/**
 * Tries everything that will be needed, and leaves nothing behind.
 * @param clusterId undefined for a cluster that is yet to be made
 * @throws OperatorError naming what is missing, and for a place of another cluster; EngineError where the store does not answer
 */
export async function checkPlace(
  store: ObjectStore,
  address: S3Address,
  clusterId: string | undefined,
  { mayBeNew = true, signal }: PlaceOptions = {},
): Promise<void> {
  const prefix = prefixOf(address)
  const key = `${prefix}probe-${crypto.randomUUID()}`
  const options = { signal }
  const may = (right: string, ask: () => Promise<unknown>) => ask().catch(error => refuse(address, right, error))
  await may("list (s3:ListBucket)", () => first(store.list(prefix, { ...options, pageSize: 1 })))
  // Removing comes first: what is tried after it can be cleared away.
  await may("delete (s3:DeleteObject)", () => store.remove(key, options))
  await may("end uploads (s3:AbortMultipartUpload)", () => store.drop(key, "none", options).catch(unlessUnknownUpload))
  await may("write (s3:PutObject)", () => store.put(key, Buffer.from("carrel"), options))
  try {
    await may("read (s3:GetObject)", () => store.get(key, undefined, options))
    const id = await store.begin(key, options).catch(error => refuse(address, "upload in parts (s3:PutObject)", error))
    await store.drop(key, id, options)
    await may("list uploads (s3:ListBucketMultipartUploads)", () => first(store.unfinished(prefix, options)))
  } finally {
    await store.remove(key).catch(() => {})
  }
  if (!(await checkMarker(store, address, clusterId, signal)) && !mayBeNew)
    throw new OperatorError(`${placeOf(address)} is not the one of the cluster that uses this database`, {
      hint: `name that one in --blob-url; where it is lost with all that it held, put {"cluster":"${clusterId}"} as ${MARKER} into its successor`,
    })
}

/** Says that the place is the cluster's from now on. @throws as `checkPlace` */
export async function markPlace(
  store: ObjectStore,
  address: S3Address,
  clusterId: string,
  signal?: AbortSignal,
): Promise<void> {
  const key = prefixOf(address) + MARKER
  if (await checkMarker(store, address, clusterId, signal)) return
  const mark = () => store.putNew(key, Buffer.from(JSON.stringify({ cluster: clusterId })), { signal })
  await mark()
  // Of two clusters that begin at once one is second, by the store's condition, or else (Garage) by who wrote last.
  if (await mark()) await pause(SETTLED_MS, signal ?? new AbortController().signal)
  await checkMarker(store, address, clusterId, signal)
}

const prefixOf = ({ prefix }: S3Address): string => (prefix ? `${prefix}/` : "")

/** @returns whether there is one, and it is the cluster's. @throws OperatorError for another cluster's */
async function checkMarker(
  store: ObjectStore,
  address: S3Address,
  clusterId: string | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const prefix = prefixOf(address)
  const key = prefix + MARKER
  if ((await store.size(key, { signal })) === undefined) {
    const others = await first(store.list(`${prefix}blobs/`, { signal, pageSize: 1 }))
    if (others && others.length > 0)
      throw new OperatorError(
        `${placeOf(address)} holds files already, and nothing says that they are this cluster's`,
        {
          hint: "name a bucket or a prefix of its own in --blob-url",
        },
      )
    return false
  }
  const { bytes } = await store.get(key, undefined, { signal })
  if (ownerIn(bytes) !== clusterId)
    throw new OperatorError(`${placeOf(address)} belongs to another cluster`, {
      hint: "name another bucket or prefix in --blob-url, or the database of that cluster in --database-url",
    })
  return true
}

function ownerIn(bytes: Uint8Array): unknown {
  try {
    return (JSON.parse(Buffer.from(bytes).toString()) as { cluster?: unknown }).cluster
  } catch {
    return undefined
  }
}

const placeOf = ({ bucket, prefix }: S3Address): string =>
  prefix ? `the bucket ${bucket}, ${prefix}/` : `the bucket ${bucket}`

async function first<T>(pages: AsyncIterable<T>): Promise<T | undefined> {
  for await (const page of pages) return page
  return undefined
}

/** An id that no server ever gave is not found, or not even one. */
function unlessUnknownUpload(error: unknown): void {
  if (statusOf(error) !== 400) throw error
}

/** Each server has names of its own for keys and secrets that it does not know; Garage says it in words alone. */
const CREDENTIALS = /AccessKey|Signature|Token|UserNotFound|ClientTokenId/
const CREDENTIALS_IN_WORDS = /no such key|invalid signature/i
const REGION = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "TemporaryRedirect",
  "IllegalLocationConstraintException",
])

/** @throws OperatorError where the operator has something to set, else the error itself */
function refuse({ bucket, region }: S3Address, right: string, error: unknown): never {
  const cause = error instanceof EngineError ? error.cause : error
  if (cause instanceof OperatorError) throw cause
  const name = nameOf(error) ?? ""
  const status = statusOf(error)
  const told = (message: string, hint: string) => new OperatorError(`the blob storage: ${message}`, { hint, cause })
  if (CREDENTIALS.test(name) || (status === 403 && CREDENTIALS_IN_WORDS.test(String(cause))))
    throw told(`it refuses the credentials (${name})`, "set others in --blob-url")
  if (name === "NoSuchBucket") throw told(`there is no bucket ${bucket}`, "create it, or name another in --blob-url")
  if (REGION.has(name) || status === 301 || status === 307)
    throw told(
      `the bucket ${bucket} is not in the region ${region}`,
      "set region (and endpoint) of --blob-url to its own",
    )
  if (status === 401 || status === 403)
    throw told(`it does not let these credentials ${right} in the bucket ${bucket}`, "give them that right")
  throw error
}
