/** Embedding models in folders on disk, the built-in one among them; named by their folder. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../errors.ts"
import type { Embedder, EmbedderOptions } from "./backend.ts"
import { readEmbeddingFolder } from "./embedding-folder.ts"
import { UNLOAD_IDLE_MS } from "./model-thread.ts"
import { TransformersEmbedder } from "./transformers.ts"

/** Loads its weights with the first text; its dimensions are known at once. */
export async function openFolderEmbedder(name: string, options: EmbedderOptions): Promise<Embedder> {
  const { directories, nativeDirectory, threads } = options
  const folder = readEmbeddingFolder(findFolder(name, directories))
  // A static model is small, and needed at once.
  const idle = folder.isStatic ? {} : { idleMs: UNLOAD_IDLE_MS }
  return new TransformersEmbedder(folder, { nativeDirectory, ...(threads ? { threads } : {}), ...idle })
}

function findFolder(name: string, directories: string[]): string {
  // A name is one folder below `directories`, never a way out of them.
  const plain = !/[/\\]|^\.+$/.test(name)
  for (const directory of plain ? directories : []) {
    const path = join(directory, name)
    if (existsSync(path) && statSync(path).isDirectory()) return path
  }
  throw new AppError("model_not_found", {
    message: `there is no embedding model "${name}"`,
    hint: `put its folder into ${directories.join(" or ")}`,
  })
}
