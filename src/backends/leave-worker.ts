/**
 * Leaves a worker that is still inside native code after all patience: ended there, it would take the process with it.
 * It ends itself with its next word, and does not keep the process up until then.
 */
export function leaveWorker(worker: Worker & { unref?(): void }): void {
  worker.onmessage = () => worker.terminate()
  worker.onerror = () => {}
  worker.unref?.()
}
