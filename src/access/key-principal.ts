/** Who a request with a key, or with a token of it, acts for. */
import { sql } from "kysely"
import { canonicalJson } from "../canonical-json.ts"
import type { ApiKeysTable, ScopedTokensTable } from "../storage/keys.ts"
import type { Filter } from "./filter/filter.ts"
import { principalsOf } from "./groups.ts"
import { type Quota, stored } from "./limits.ts"
import type { Principal, Scope } from "./principal.ts"
import { hashToken, markOf } from "./token.ts"
import { type View, withinBoth } from "./view.ts"

/** A user without access to the key's workspace takes the key along. */
export const ownerIsActive = sql<number>`case when api_keys.owner_id is null or exists (
  select 1 from memberships join users on users.id = memberships.user_id
  where users.id = api_keys.owner_id and users.disabled_at is null and memberships.workspace_id = api_keys.workspace_id
) then 1 else 0 end`

/** The key is neither revoked nor expired nor of an owner without access: now. */
export const isActive = () => sql<boolean>`api_keys.revoked_at is null
  and (api_keys.expires_at is null or api_keys.expires_at > ${new Date().toISOString()}) and ${ownerIsActive} = 1`

/** A key of a member sees no more of others' work than the member does; one of nobody, or of an administrator, sees all. */
export const OWNER_SEES_ALL = sql<number>`case when api_keys.owner_id is null or exists (
  select 1 from users where users.id = api_keys.owner_id and users.role = 'administrator'
) then 1 else 0 end`.as("owner_sees_all")

/** Groups of the member whose key it is; null for one of nobody, or of an administrator. JSON array. */
export const OWNER_GROUPS = sql<string | null>`(select users.group_names from users
  where users.id = api_keys.owner_id and users.role <> 'administrator')`.as("owner_groups")

/** What of a key's row decides what it may do. */
export const GRANTS = [
  "api_keys.id",
  "api_keys.workspace_id",
  "api_keys.scopes",
  "api_keys.rate_limit_per_minute",
  "api_keys.context_ids",
  "api_keys.models",
  "api_keys.filter",
  "api_keys.quota",
  "api_keys.owner_id",
  OWNER_SEES_ALL,
  OWNER_GROUPS,
] as const

export type KeyGrants = Pick<
  ApiKeysTable,
  | "id"
  | "workspace_id"
  | "scopes"
  | "rate_limit_per_minute"
  | "context_ids"
  | "models"
  | "filter"
  | "quota"
  | "owner_id"
> & { owner_sees_all: number; owner_groups: string | null }

/** What a token narrows its key to. */
export type TokenGrants = Pick<
  ScopedTokensTable,
  "id" | "key_id" | "scopes" | "context_ids" | "filter" | "principals" | "end_user"
>

/**
 * Names what narrows a key: part of the credential of a request, so that one that lasts ends when its key sees less, or
 * other things. Empty for a key that nothing narrows.
 */
export const limitsMark = (key: KeyLimits): string => {
  const { context_ids, models, filter, owner_sees_all, owner_id, owner_groups } = key
  const owner = owner_groups === null ? [] : [owner_id, owner_groups]
  return isNarrowed(key) ? ` ${markOf(JSON.stringify([context_ids, models, filter, owner_sees_all, ...owner]))}` : ""
}

type KeyLimits = Pick<KeyGrants, "context_ids" | "models" | "filter" | "owner_sees_all" | "owner_id" | "owner_groups">

/** A key of a member sees the files that the member sees. */
const principalsOfKey = ({ owner_id, owner_groups }: KeyLimits): string[] | null =>
  owner_id === null || owner_groups === null
    ? null
    : principalsOf({ id: owner_id, role: "member", group_names: owner_groups })

const isNarrowed = ({ context_ids, models, filter, owner_sees_all }: KeyLimits): boolean =>
  context_ids !== null || models !== null || filter !== null || owner_sees_all === 0

export const credentialOf = (id: string, pairHash: string, key: KeyLimits): string =>
  `${id} ${pairHash}${limitsMark(key)}`

export function principalOfKey(key: KeyGrants, credential: string): Principal {
  return {
    keyId: key.id,
    credential,
    workspaceId: key.workspace_id,
    holderId: key.id,
    view: {
      workspaceId: key.workspace_id,
      contexts: stored<string[]>(key.context_ids),
      filters: filtersOf(key),
      principals: principalsOfKey(key),
      models: stored<string[]>(key.models),
      own: isNarrowed(key) ? { ownerId: key.id, maker: null, endUser: null } : null,
      author: { type: "key", id: key.id, maker: null, endUser: null },
      mayWiden: true,
    },
    scopes: JSON.parse(key.scopes) as Scope[],
    rateLimitPerMinute: key.rate_limit_per_minute,
    quota: stored<Quota>(key.quota),
  }
}

/** What both allow: a token only ever narrows what its key is at this moment. */
export function principalOfToken(key: KeyGrants, token: TokenGrants, credential: string): Principal {
  const ofKey = principalOfKey(key, credential)
  const { view } = ofKey
  const scopes = stored<Scope[]>(token.scopes)
  const limits = { contexts: stored<string[]>(token.context_ids), filters: filtersOf(token) }
  const principals = stored<string[]>(token.principals)
  const narrowed: View = {
    ...withinBoth(view, limits),
    principals: sharedBy(view.principals, principals),
  }
  const hasLimits = token.context_ids !== null || token.filter !== null || principals !== null
  const maker = hasLimits ? makerOf(token, { ...narrowed, principals }) : null
  const own = { ownerId: hasLimits ? key.id : (view.own?.ownerId ?? null), maker, endUser: token.end_user }
  return {
    ...ofKey,
    holderId: token.id,
    view: {
      ...narrowed,
      own: own.ownerId === null && own.endUser === null ? null : own,
      author: { type: "key", id: key.id, maker, endUser: token.end_user },
      mayWiden: false,
    },
    scopes: ofKey.scopes.filter(scope => scope !== "tokens" && (scopes === null || scopes.includes(scope))),
  }
}

/** Null stands for all principals. */
const sharedBy = (ofKey: readonly string[] | null, ofToken: readonly string[] | null): readonly string[] | null =>
  ofKey && ofToken ? ofKey.filter(each => ofToken.includes(each)) : (ofKey ?? ofToken)

/**
 * Whose work a token with limits sees: what it made itself, and for an end user also what his other tokens made that had
 * the same limits: a session ends, his conversations do not.
 */
const makerOf = ({ id, end_user }: TokenGrants, { contexts, filters, principals }: View): string =>
  end_user === null
    ? id
    : hashToken(canonicalJson([end_user, sorted(contexts), filters, sorted(principals)])).slice(0, 32)

const filtersOf = ({ filter }: Pick<KeyGrants, "filter">): Filter[] =>
  filter === null ? [] : [JSON.parse(filter) as Filter]

const sorted = (list: readonly string[] | null) => list && [...list].sort()
