import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { FileRecord } from "../../wire.ts"

/** Names of files by their id; those that are gone or not read yet are missing. */
export function useFileNames(fileIds: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(fileIds)]
  const names = useLoaded(wanted.join(), async signal => {
    const files = await Promise.all(
      wanted.map(id => api.get<FileRecord>(`/libraries/${id}`, signal).catch(() => undefined)),
    )
    return new Map(files.flatMap(file => (file ? [[file.id, file.name] as const] : [])))
  })
  return names.data ?? new Map()
}
