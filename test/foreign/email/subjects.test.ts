import { expect, test } from "vitest";
import { readMail } from "../../../src/plugins/channels/email/incoming.ts";
import { rawMail, SERVER } from "../../plugins/channels/email/raw-mail.ts";
import { subjects } from "./subjects.ts";

/** Mails with subjects of many programs, read as they arrive. */

const NOW = Date.UTC(2026, 2, 1, 12);

test.each(subjects)("$name", async ({ input, value }) => {
  const { subject, body, isInThread } = input;
  const thread = isInThread
    ? { "In-Reply-To": "<r1@x.example>", References: "<r1@x.example>" }
    : { "In-Reply-To": null, References: null };
  const raw = rawMail({ Subject: subject, "Content-Type": "text/plain; charset=utf-8", ...thread }, body);
  const mail = {
    from: "anna@example.com",
    to: "agent@cairn.example",
    raw: new Response(raw).body ?? new ReadableStream<Uint8Array>(),
    rawSize: raw.length,
  };
  const heard = await readMail(mail, { address: "agent@cairn.example", authServer: SERVER }, () => NOW);
  const said = heard?.isVouched === true ? heard.event : null;
  if (said?.kind !== "message") throw new Error("no message was read");
  const { text, foreign, quotesThread = false } = said;
  expect({ text, foreign, quotesThread }).toEqual(value);
});
