import { onBoth } from "./migration.ts"

/** Where sections begin within a passage that joins several. Passages of before keep the first one until their file is read again. */
export const sections = onBoth("0012-sections", "alter table chunks add column sections text")
