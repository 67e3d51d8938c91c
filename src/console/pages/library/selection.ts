/** Which files of the list are chosen: some by id, or all that its filters let pass. */
import { useState } from "preact/hooks"
import type { Filter } from "../../../access/filter/filter.ts"
import type { FileRecord } from "../../wire.ts"

/** Ids that one comparison of a filter takes. */
const MAX_IDS = 1_000

export interface Selection {
  ids: ReadonlySet<string>
  /** Every file that passes, also those on other pages. */
  all: boolean
  /** @param range with all between this one and the one chosen last */
  choose(file: FileRecord, range: boolean): void
  /** All that are shown, or none of them. */
  chooseShown(on: boolean): void
  chooseAll(): void
  clear(): void
}

/** @param shown in the order of the list */
export function useSelection(shown: readonly FileRecord[]): Selection {
  const [{ ids, all }, set] = useState<{ ids: ReadonlySet<string>; all: boolean }>({ ids: new Set(), all: false })
  const [last, setLast] = useState<string>()
  const put = (next: Iterable<string>) => set({ ids: new Set([...next].slice(0, MAX_IDS)), all: false })
  return {
    ids,
    all,
    choose(file, range) {
      const at = shown.findIndex(({ id }) => id === file.id)
      const from = shown.findIndex(({ id }) => id === last)
      setLast(file.id)
      if (range && from >= 0) {
        const between = shown.slice(Math.min(at, from), Math.max(at, from) + 1).map(({ id }) => id)
        return put([...ids, ...between])
      }
      const isChosen = all || ids.has(file.id)
      const present = all ? shown.map(({ id }) => id) : [...ids]
      put(isChosen ? present.filter(id => id !== file.id) : [...present, file.id])
    },
    chooseShown: on => put(on ? [...ids, ...shown.map(({ id }) => id)] : []),
    chooseAll: () => set({ ids: new Set(), all: true }),
    clear: () => put([]),
  }
}

export const filterOfIds = (ids: ReadonlySet<string>): Filter => ({ type: "in", key: "file.id", value: [...ids] })
