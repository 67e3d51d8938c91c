/** Which files of the list are chosen: some by id, or all that its filters let pass. */
import { useState } from "preact/hooks"
import type { Filter } from "../../../access/filter/filter.ts"
import type { Stretch } from "../../long-list.ts"
import type { FileRecord } from "../../wire.ts"

/** Ids that one comparison of a filter takes. */
export const MAX_IDS = 1_000

export interface Selection {
  ids: ReadonlySet<string>
  /** Every file that passes, also those that were never read. */
  all: boolean
  /** Whatever way, each file of the list is chosen. */
  isEvery: boolean
  /** More were asked for than can be chosen one by one. */
  isCut: boolean
  /** @param range with all between this one and the one chosen last */
  choose(file: FileRecord, range: boolean): void
  /** All of the list, or none. */
  chooseEvery(on: boolean): void
  chooseAll(): void
  clear(): void
}

interface Chosen {
  ids: ReadonlySet<string>
  all: boolean
  isCut: boolean
}

const NONE: Chosen = { ids: new Set(), all: false, isCut: false }

/**
 * @param list in its order, as far as it was read
 * @param idsFrom reads ids from a position of the list to another, at most as many as are asked for
 * @param mayChooseAll whether work can go by the list's filters
 */
export function useSelection(
  { start, rows, total }: Pick<Stretch<FileRecord>, "start" | "rows" | "total">,
  idsFrom: (from: number, to: number) => Promise<string[]>,
  mayChooseAll: boolean,
): Selection {
  const [chosen, set] = useState(NONE)
  const [last, setLast] = useState<number>()
  const { ids, all } = chosen
  const put = (next: Iterable<string>) => {
    const list = [...new Set(next)]
    set({ ids: new Set(list.slice(0, MAX_IDS)), all: false, isCut: list.length > MAX_IDS })
  }
  /** One more than can be chosen shows that there are more. */
  const read = (from: number, to: number) => idsFrom(from, Math.min(to, from + MAX_IDS))
  const isEvery = all || (total > 0 && ids.size >= total)
  return {
    ...chosen,
    isEvery,
    choose(file, range) {
      const at = start + rows.findIndex(({ id }) => id === file.id)
      setLast(at)
      if (range && last !== undefined)
        return void read(Math.min(at, last), Math.max(at, last)).then(between => put([...ids, ...between]))
      const isChosen = all || ids.has(file.id)
      const present = all ? rows.map(({ id }) => id) : [...ids]
      put(isChosen ? present.filter(id => id !== file.id) : [...present, file.id])
    },
    chooseEvery(on) {
      if (!on) set(NONE)
      else if (mayChooseAll) set({ ids: new Set(), all: true, isCut: false })
      else void read(0, total - 1).then(put)
    },
    chooseAll: () => set({ ids: new Set(), all: true, isCut: false }),
    clear: () => set(NONE),
  }
}

export const filterOfIds = (ids: ReadonlySet<string>): Filter => ({ type: "in", key: "file.id", value: [...ids] })
