import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import type { StoredBlob } from "./blobs.ts"

/** Counts and hashes the bytes of one upload on their way. */
export class Intake {
  private readonly hash = createHash("sha256")
  private size = 0

  constructor(private readonly limitBytes: number) {}

  /** The source as it is. @throws AppError file_too_large, empty_file */
  async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.size += chunk.byteLength
      if (this.size > this.limitBytes)
        throw new AppError("file_too_large", { message: `the file is larger than ${this.limitBytes} bytes` })
      this.hash.update(chunk)
      yield chunk
    }
    if (this.size === 0) throw new AppError("empty_file")
  }

  /** What has passed, once all of it has. */
  storedAs(blob: string): StoredBlob {
    return { blob, size: this.size, sha256: this.hash.digest("hex") }
  }
}
