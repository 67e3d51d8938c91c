/**
 * Groups of the people who sign in to the console. Administrators name them, or the provider does, whose word wins: with the
 * user's own id they are the principals by which members, and the keys of members, see files that have an acl.
 */
import { invalid } from "../errors.ts"
import type { UserRole } from "../storage/users.ts"

/** What follows `group:` in an acl. */
const GROUP = /^[A-Za-z0-9_.@+-]{1,128}$/
/** With the user's own name as many as an acl may hold. */
const MAX_GROUPS = 99

/** Whose groups they are, as the rows of users hold it. */
export interface Grouped {
  id: string
  role: UserRole
  /** JSON array. */
  group_names: string
}

/** Each once, in their order. @throws AppError invalid_request */
export function checkGroups(groups: readonly string[]): string[] {
  const names = [...new Set(groups)].sort()
  if (names.length > MAX_GROUPS) throw invalid("groups", `must hold at most ${MAX_GROUPS} names`)
  const wrong = groups.findIndex(each => !GROUP.test(each))
  if (wrong >= 0) throw invalid(`groups.${wrong}`, "must be 1 to 128 letters, digits or _ . @ + -")
  return names
}

/** Of those that a provider names, the ones that an acl can name. */
export const usableGroups = (groups: readonly string[]): string[] =>
  [...new Set(groups)]
    .filter(each => GROUP.test(each))
    .sort()
    .slice(0, MAX_GROUPS)

export const groupsOf = ({ group_names }: Pick<Grouped, "group_names">): string[] => JSON.parse(group_names) as string[]

/** Null for administrators, who see files whatever their acl. */
export const principalsOf = (user: Grouped): string[] | null =>
  user.role === "administrator" ? null : [`user:${user.id}`, ...groupsOf(user).map(name => `group:${name}`)]
