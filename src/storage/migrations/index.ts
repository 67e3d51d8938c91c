/** Schema changes in the order in which they run. A released migration is never edited; add a file (a `Migration`) and a line. */

import { keys } from "./0001-keys.ts"
import { library } from "./0002-library.ts"
import { jobs } from "./0003-jobs.ts"
import { search } from "./0004-search.ts"
import { chat } from "./0005-chat.ts"
import { agents } from "./0006-agents.ts"
import { users } from "./0007-users.ts"
import { keyOwners } from "./0008-key-owners.ts"
import { fairTurns } from "./0009-fair-turns.ts"
import { warnings } from "./0010-warnings.ts"
import { idempotency } from "./0011-idempotency.ts"
import { sections } from "./0012-sections.ts"
import { interruptions } from "./0013-interruptions.ts"
import { runRepetitions } from "./0014-run-repetitions.ts"
import { nodes } from "./0015-nodes.ts"
import { indexOwners } from "./0016-index-owners.ts"
import { counters } from "./0017-counters.ts"
import { oneReply } from "./0018-one-reply.ts"
import { vectorTiers } from "./0019-vector-tiers.ts"
import { fileJobs } from "./0020-file-jobs.ts"
import { access } from "./0021-access.ts"
import { ownersOfWork } from "./0022-owners.ts"
import { vectorStores } from "./0023-vector-stores.ts"
import { secrets } from "./0024-secrets.ts"
import { keptAnswers } from "./0025-kept-answers.ts"
import { events } from "./0026-events.ts"
import { webhooks } from "./0027-webhooks.ts"
import { webPages } from "./0028-web-pages.ts"
import { sources } from "./0029-sources.ts"
import { batches } from "./0030-batches.ts"
import { schedules } from "./0031-schedules.ts"
import { readingNotes } from "./0032-reading-notes.ts"
import { history } from "./0033-history.ts"
import { approvals } from "./0034-approvals.ts"
import { records } from "./0035-records.ts"
import { toolCalls } from "./0036-tool-calls.ts"
import { messageImages } from "./0037-message-images.ts"
import { usage } from "./0038-usage.ts"
import { audit } from "./0039-audit.ts"
import { receipts } from "./0040-receipts.ts"
import { holds } from "./0041-holds.ts"
import { sharing } from "./0042-sharing.ts"
import { signIn } from "./0043-sign-in.ts"
import { encryption } from "./0044-encryption.ts"
import { stepFiles } from "./0046-step-files.ts"
import { notesOfFiles } from "./0048-notes-of-files.ts"
import { auditPending } from "./0049-audit-pending.ts"
import { sessionProviders } from "./0050-session-providers.ts"
import { resetLinks } from "./0054-reset-links.ts"
import { marksOfConversations } from "./0055-marks-of-conversations.ts"
import { savedPrompts } from "./0056-saved-prompts.ts"
import { savedViews } from "./0057-saved-views.ts"
import { groups } from "./0058-groups.ts"
import { checkpoints } from "./0059-checkpoints.ts"
import type { Migration } from "./migration.ts"

export const MIGRATIONS: readonly Migration[] = [
  keys,
  library,
  jobs,
  search,
  chat,
  agents,
  users,
  keyOwners,
  fairTurns,
  warnings,
  idempotency,
  sections,
  interruptions,
  runRepetitions,
  nodes,
  indexOwners,
  counters,
  oneReply,
  vectorTiers,
  fileJobs,
  access,
  ownersOfWork,
  vectorStores,
  secrets,
  keptAnswers,
  events,
  webhooks,
  webPages,
  sources,
  batches,
  schedules,
  readingNotes,
  history,
  approvals,
  records,
  toolCalls,
  messageImages,
  usage,
  audit,
  receipts,
  holds,
  sharing,
  signIn,
  encryption,
  stepFiles,
  notesOfFiles,
  auditPending,
  sessionProviders,
  resetLinks,
  marksOfConversations,
  savedPrompts,
  savedViews,
  groups,
  checkpoints,
]
