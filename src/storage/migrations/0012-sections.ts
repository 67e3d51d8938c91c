import { type Migration, runStatements } from "./migration.ts"

/** Where sections begin within a passage that joins several. Passages of before keep the first one until their file is read again. */
export const sections: Migration = {
  name: "0012-sections",
  up: executor => runStatements(executor, "alter table chunks add column sections text"),
}
