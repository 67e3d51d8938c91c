/** Tells who is interested that a file's record changed. In memory: a listener asks for the record itself. */
export class FileChanges {
  private readonly listeners = new Map<string, Set<() => void>>()

  announce(fileId: string): void {
    for (const listener of this.listeners.get(fileId) ?? []) listener()
  }

  listen(fileId: string, listener: () => void): () => void {
    const known = this.listeners.get(fileId) ?? new Set()
    this.listeners.set(fileId, known.add(listener))
    return () => {
      known.delete(listener)
      if (known.size === 0) this.listeners.delete(fileId)
    }
  }
}
