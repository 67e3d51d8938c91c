import { type FormerMigration, runStatements } from "./migration.ts"

/** Where sections begin within a passage that joins several. Passages of before keep the first one until their file is read again. */
export const sections: FormerMigration = {
  name: "0012-sections",
  sqlite: executor => runStatements(executor, "alter table chunks add column sections text"),
}
