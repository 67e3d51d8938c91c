/** Which keys of a source are meant. */
import { invalid } from "../errors.ts"
import { isStorable } from "../storable.ts"

const MAX_GLOBS = 100
const MAX_LENGTH = 500

/** @throws AppError invalid_request naming the field */
export function checkGlobs(field: string, globs: readonly string[]): string[] {
  if (globs.length > MAX_GLOBS) throw invalid(field, `must be at most ${MAX_GLOBS} globs`)
  for (const glob of globs) {
    if (glob === "" || glob.length > MAX_LENGTH || !isStorable(glob))
      throw invalid(field, `each must have 1 to ${MAX_LENGTH} characters`)
    if (glob.startsWith("!")) throw invalid(field, "a glob does not begin with !: what is not meant goes into exclude")
  }
  return [...globs]
}

/** `*.pdf` means such files wherever they lie, `drafts/` all that lies below. */
const whole = (glob: string): string => {
  const below = glob.endsWith("/") ? `${glob}**` : glob
  return glob.includes("/") ? below.replace(/^\//, "") : `**/${below}`
}

/** Whether a key is meant: one of `include`, or of all where that is empty, and none of `exclude`. */
export function matcherOf(include: readonly string[], exclude: readonly string[]): (key: string) => boolean {
  const globs = (list: readonly string[]) => list.map(glob => new Bun.Glob(whole(glob)))
  const wanted = globs(include)
  const unwanted = globs(exclude)
  return key => (wanted.length === 0 || wanted.some(glob => glob.match(key))) && !unwanted.some(glob => glob.match(key))
}

/**
 * Whether no key below a folder is meant, whatever lies in it: `exclude` names the whole of it or of one that it lies in, or
 * no glob of `include` begins as its keys do.
 * @returns a function of the folder's key, with a slash at its end
 */
export function leavesOutOf(include: readonly string[], exclude: readonly string[]): (folder: string) => boolean {
  const trees = exclude
    .map(whole)
    .filter(glob => glob.endsWith("/**"))
    .map(glob => new Bun.Glob(glob.slice(0, -"/**".length)))
  const beginnings = include.map(glob => /^[^*?[\]{}\\!]*/.exec(whole(glob))![0])
  return folder => {
    const isApart = (beginning: string) => !beginning.startsWith(folder) && !folder.startsWith(beginning)
    if (beginnings.length > 0 && beginnings.every(isApart)) return true
    const parts = folder.split("/").slice(0, -1)
    return parts.some((_, at) => trees.some(tree => tree.match(parts.slice(0, at + 1).join("/"))))
  }
}
