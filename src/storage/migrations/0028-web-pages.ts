import { onBoth } from "./migration.ts"

/** Pages of the web that became files, with what their servers said of the version that was fetched. */
export const webPages = onBoth(
  "0028-web-pages",
  `
  alter table files add column reading text;
  create table web_pages (
    file_id text primary key references files(id) on delete cascade,
    url text not null,
    etag text,
    last_modified text,
    refresh text,
    next_refresh_at text,
    failures integer not null default 0,
    error text
  );
  create index web_pages_url on web_pages (url);
  create index web_pages_due on web_pages (next_refresh_at) where next_refresh_at is not null;
  `,
)
