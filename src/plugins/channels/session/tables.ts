import type { Migration } from "../../../cairn/session/storage/migrations.ts";

/** Where the cards of approvals and questions are shown. */
export const CHANNEL_TABLES: readonly Migration[] = [
  {
    version: 1,
    sql: `
    CREATE TABLE IF NOT EXISTS cards (
      approval TEXT NOT NULL, place TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (approval, place)) STRICT, WITHOUT ROWID;
    `,
  },
];
