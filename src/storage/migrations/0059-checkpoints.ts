import { onBoth } from "./migration.ts"

/** What runs that wait for a person go on from after their daemon has ended. */
export const checkpoints = onBoth("0059-checkpoints", "alter table agent_runs add column checkpoint text;")
