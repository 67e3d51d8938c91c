/** Encrypts what was stored in clear while the daemon goes on: what it is asked for, and what a former process left undone. */
import { OperatorError } from "../errors.ts"
import { log } from "../log.ts"
import { type Converted, encryptAll } from "../storage/encryption/convert.ts"
import { keyringOf } from "../storage/encryption/keyring.ts"
import { readRequest, removeRequest, writeRequest } from "../storage/encryption/request.ts"
import { beginEncryption } from "../storage/encryption/unlock.ts"

/** Between two looks whether somebody asks for it. */
const LOOK_MS = 500

/** Begins by itself; ends with the stack. */
export function keepEncrypting(parts: Required<Converted>, stack: AsyncDisposableStack): void {
  const { database, dataDirectory } = parts
  const stop = new AbortController()
  let work: Promise<void> = Promise.resolve()
  const begin = () => {
    work = encryptAll(parts, stop.signal).then(
      () => log.info("everything that is stored is encrypted now"),
      error => {
        if (!stop.signal.aborted) log.error("what is stored could not be encrypted; the next start goes on", { error })
      },
    )
  }
  if (keyringOf(database).state === "mixed") begin()
  const look = async () => {
    const request = readRequest(dataDirectory)
    if (!request || request.refusal !== undefined) return
    try {
      await beginEncryption(database, request.key_file)
      removeRequest(dataDirectory)
      begin()
    } catch (error) {
      const refusal = error instanceof OperatorError ? error.message : "it failed: see the daemon's log"
      log.error("what is stored cannot be encrypted as `carrel rekey` asks", { error })
      writeRequest(dataDirectory, { ...request, refusal })
    }
  }
  removeRequest(dataDirectory) // nobody waits for it any more
  let looking = false
  const timer = setInterval(() => {
    if (looking || keyringOf(database).state !== "off") return
    looking = true
    void look().finally(() => {
      looking = false
    })
  }, LOOK_MS)
  timer.unref()
  stack.defer(async () => {
    clearInterval(timer)
    stop.abort(new Error("the daemon ends"))
    await work
  })
}
