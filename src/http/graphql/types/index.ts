/** The fields of `Query`, each a function of its arguments and of what the query works with. */
import { conversation, conversations } from "./conversations.ts"
import { file, files } from "./files.ts"
import { run, runs } from "./runs.ts"
import { search } from "./search.ts"
import { usage } from "./usage.ts"

export const QUERY = { file, files, search, conversation, conversations, run, runs, usage }
