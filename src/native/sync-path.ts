/** Brings to disk what was written there already. Windows syncs files that are open for writing alone, and no folders. */
import { open } from "node:fs/promises"

/** Whether syncing a folder brings the names in it to disk; where it does not, the file system's own journal has to. */
export const FOLDERS_SYNC = process.platform !== "win32"

export const syncFile = (path: string): Promise<void> => syncOpened(path, "r+")

export async function syncFolder(path: string): Promise<void> {
  if (FOLDERS_SYNC) await syncOpened(path, "r")
}

async function syncOpened(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
