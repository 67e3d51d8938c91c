/**
 * What the executable carries inside itself. From source it carries nothing:
 * `scripts/build/embed.ts` replaces this whole module with the list of what it packed.
 */

/** One file of a group, compressed with zstd in parts, so that unpacking 200 MB does not need 200 MB of memory. */
export interface EmbeddedFile {
  /** Path inside the group's folder once unpacked. */
  path: string
  sizeBytes: number
  sha256: string
  /** Where the parts are in the executable's own file system, in order. */
  packed: string[]
}

/** Files that are unpacked together into one folder, because they find each other by path. */
export interface EmbeddedGroup {
  /** Changes when any file changes; part of the folder's name. */
  hash: string
  files: EmbeddedFile[]
}

export type GroupName = "lancedb" | "onnxruntime" | "models" | "packs"

/** One file of the console or of GraphiQL, compressed with gzip because that is how browsers take it. */
export interface EmbeddedPage {
  path: string
  type: string
  etag: string
  /** Where the compressed bytes are in the executable's own file system. */
  packed: string
}

export const groups: Partial<Record<GroupName, EmbeddedGroup>> = {}

export const consolePages: EmbeddedPage[] = []

/** First parts of the console's addresses. */
export const consoleAddresses: readonly string[] = []

/** Git commit that the executable was built from; null from source. */
export const commit: string | null = null

/** The packages inside and their licenses, as JSON compressed with zstd; null from source. */
export const licenses: string | null = null
