import type { Wakes } from "../nodes/wakes.ts"

/** Tells who is interested that a file's record changed; a listener asks for the record itself. */
export class FileChanges {
  constructor(private readonly wakes: Wakes) {}

  announce(fileId: string): void {
    this.wakes.publish("file", fileId)
  }

  listen(fileId: string, listener: () => void): () => void {
    return this.wakes.listen("file", fileId, listener)
  }
}
