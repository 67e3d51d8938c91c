import { onBoth } from "./migration.ts"

/** Two tables of vectors serve, one of each tier. Whatever is not the former built-in model was named by an operator. */
export const vectorTiers = onBoth(
  "0019-vector-tiers",
  `
  alter table vector_tables add column tier text not null default 'quality' check (tier in ('fast', 'quality'));
  update vector_tables set tier = 'fast' where model = 'carrel-embed-en-v1';
  drop index vector_tables_live;
  create unique index vector_tables_live on vector_tables (tier) where state = 'live';
  `,
)
