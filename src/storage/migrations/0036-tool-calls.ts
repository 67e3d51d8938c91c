import { onBoth } from "./migration.ts"

/** How many calls of tools were carried out for a reply: lists of messages say whether there is anything to ask its record for. */
export const toolCalls = onBoth(
  "0036-tool-calls",
  "alter table messages add column tool_calls integer not null default 0",
)
