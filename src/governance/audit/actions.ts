/** What the audit log tells of. A route names one of these, or says that it reads nothing worth telling. */

/** By resource; a new one is a word here and the route, tool or command that names it. */
const VERBS = {
  file: ["upload", "update", "delete", "download", "reindex", "attach", "detach"],
  link: ["create", "open"],
  source: ["create", "update", "delete", "sync", "manifest"],
  conversation: ["create", "send", "update", "feedback", "delete", "cancel", "share"],
  record: ["read", "replay"],
  chat: ["complete"],
  response: ["create", "delete", "cancel"],
  run: ["create", "delete", "cancel", "approve", "share"],
  job: ["create"],
  batch: ["create", "cancel"],
  schedule: ["create", "update", "delete", "run"],
  vector_store: ["create", "update", "delete"],
  session: ["open", "end"],
  key: ["create", "update", "rotate", "revoke"],
  token: ["create"],
  stream_token: ["create"],
  user: ["create", "claim", "update", "delete", "password", "reset_link", "invite"],
  saved_prompt: ["update", "delete"],
  saved_view: ["create", "update", "delete"],
  invitation: ["create", "accept", "delete"],
  workspace: ["create", "update", "delete", "add_member", "remove_member"],
  webhook: ["create", "update", "delete", "test", "rotate", "redeliver"],
  hold: ["create", "lift"],
  end_user: ["erase"],
  retention: ["update", "apply"],
  quota: ["update"],
  usage: ["export"],
  audit: ["export", "forget"],
  backup: ["create", "restore"],
  installation: ["move", "rekey", "reindex", "repair"],
  /** Of a route that tells nothing when it is done. */
  request: ["refuse"],
} as const

type Verbs = typeof VERBS

type ResourceType = keyof Verbs

/** As `file.delete`. */
export type AuditAction = { [Type in ResourceType]: `${Type}.${Verbs[Type][number]}` }[ResourceType]

/** After these something is no more. */
export type Deleting = Extract<AuditAction, `${string}.${"delete" | "erase" | "detach"}`>

/** Done; refused to who asked; not done for another reason. */
export type Outcome = "success" | "denied" | "failure"

/** `anonymous`: named somebody and did not show to be it. `link`: whoever holds a link of that key or user. */
export type ActorType = "key" | "token" | "user" | "link" | "anonymous" | "command" | "system"
