import { expect, test } from "vitest";
import { readMail } from "../../../src/plugins/channels/email/incoming.ts";
import { rawMail, SERVER } from "../../plugins/channels/email/raw-mail.ts";
import { quotes } from "./quotes.ts";

/** Mails with quotes, read as they arrive: the owner's words, and those that are fenced and taint the run. */

const NOW = Date.UTC(2026, 2, 1, 12);

test.each(quotes)("$name", async ({ input, value }) => {
  const { subject = "Re: Weather", html, body } = input;
  const type = html === true ? "text/html" : "text/plain";
  const raw = rawMail({ Subject: subject, "Content-Type": `${type}; charset=utf-8` }, body);
  const mail = {
    from: "anna@example.com",
    to: "agent@cairn.example",
    raw: new Response(raw).body ?? new ReadableStream<Uint8Array>(),
    rawSize: raw.length,
  };
  const heard = await readMail(mail, { address: "agent@cairn.example", authServer: SERVER }, () => NOW);
  const said = heard?.isVouched === true ? heard.event : null;
  if (said?.kind !== "message") throw new Error("no message was read");
  expect({ text: said.text, foreign: said.foreign }).toEqual(value);
});
