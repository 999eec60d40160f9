import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { rawMail } from "../../plugins/channels/email/raw-mail.ts";
import type { TestServer } from "../clients/server.ts";

/** Mails of wrangler's own: its local route brings them in, and what the binding is given is in a database of it. */

const sentMail = z.object({
  to: z.array(z.string()),
  subject: z.string(),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
  html: z.string(),
});
export type SentMail = z.infer<typeof sentMail>;

/** The same for every mail, so that one that is sent again keeps its date. */
const TODAY = new Date().toUTCString();

/** Brings a mail to a server as Email Routing would; the outcome of the worker's handler. */
export async function deliver(
  server: TestServer,
  headers: Readonly<Record<string, string | null>>,
  body: string,
  from = "anna@example.com",
  to = "agent@cairn.example",
): Promise<{ readonly outcome: string; readonly rejectReason?: string | undefined }> {
  const query = new URLSearchParams({ from, to, format: "json" });
  const response = await fetch(`${server.url}/cdn-cgi/handler/email?${query.toString()}`, {
    method: "POST",
    body: rawMail({ Date: TODAY, ...headers }, body),
  });
  return z.object({ outcome: z.string(), rejectReason: z.string().optional() }).parse(await response.json());
}

/**
 * Mails that this server process has sent, oldest first. The log's file names reveal the folder that wrangler chose.
 */
export function sentBy(server: TestServer): readonly SentMail[] {
  const [, instance] = /^Text: .*[/\\]email[/\\](miniflare-[0-9a-f]+)[/\\]/m.exec(server.log()) ?? [];
  if (instance === undefined) return [];
  const folder = path.join(tmpdir(), instance, "email-store/miniflare-email-store");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  if (file === undefined) return [];
  const database = new DatabaseSync(path.join(folder, file), { readOnly: true });
  try {
    const rows = database.prepare("SELECT data FROM emails WHERE kind = 'sent' ORDER BY seq").all();
    return rows.map((row) => sentMail.parse(JSON.parse(String(row["data"]))));
  } finally {
    database.close();
  }
}
