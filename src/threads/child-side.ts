/** The child's end of the line to the daemon: closes the fence, then answers one request after the other. */
import { closeSync, writeSync } from "node:fs"
import { receiveDescriptors } from "./descriptors.ts"
import { closeFence } from "./fence.ts"
import type { ChildMessage, ParentMessage } from "./fenced-child.ts"
import { linesOf } from "./lines.ts"
import { libc } from "./linux.ts"

const FILES_SOCKET = 3

export interface Conversation<Progress> {
  /** Open files that the request brought; closed when it is answered. */
  files: number[]
  tell(progress: Progress): void
}

/**
 * Serves until the daemon closes the line or ends. Nothing that a library prints reaches the daemon: standard output is
 * turned away before the first request.
 * @param told the last argument of the command line, from the first step of the fence
 */
export async function serveParent<Ask, Answer, Progress = never>(
  told: string | undefined,
  answer: (ask: Ask, conversation: Conversation<Progress>) => Promise<Answer> | Answer,
): Promise<void> {
  const output = takeStandardOutput()
  const send = (message: ChildMessage<Answer, Progress>) =>
    writeAll(output, Buffer.from(`${JSON.stringify(message)}\n`))
  send({ ready: closeFence(told) })
  for await (const line of linesOf(Bun.stdin.stream())) {
    const { ask, fileCount } = JSON.parse(line) as ParentMessage<Ask>
    const files = fileCount > 0 ? receiveDescriptors(FILES_SOCKET, fileCount) : []
    try {
      send({ answer: await answer(ask, { files, tell: progress => send({ progress }) }) })
    } finally {
      for (const file of files) closeSync(file)
    }
  }
}

function takeStandardOutput(): number {
  const output = libc().dup(1)
  libc().dup2(2, 1)
  return output
}

/** Waits where the daemon does not read: it is behind, or this child says too much. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
