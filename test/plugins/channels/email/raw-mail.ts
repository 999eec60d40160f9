/** The server that receives for the tests, and what it writes of somebody at example.com. */
export const SERVER = "mx.cloudflare.net";
export const PASS = `${SERVER}; dkim=pass header.d=example.com header.s=s1; dmarc=pass header.from=example.com policy.dmarc=none`;

/** A signature of example.com, as large senders make it. */
export const SIGNATURE =
  "v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=s1;\r\n\th=from:to:cc:subject:date:message-id; bh=AAAA; b=Abc+de/Fg=";

/** A mail as it lies on the wire: Anna's to the agent, with these headers in place of hers; null leaves one out. */
export function rawMail(headers: Readonly<Record<string, string | null>>, body: string): Uint8Array {
  const all: Record<string, string | null> = {
    "Authentication-Results": PASS,
    "DKIM-Signature": SIGNATURE,
    Received: "from mail.example.com by mx.cloudflare.net",
    From: "Anna Ek <Anna@Example.com>",
    To: "agent@cairn.example",
    Subject: "Re: Weather",
    "Message-ID": "<m1@example.com>",
    Date: "Sun, 01 Mar 2026 11:00:00 +0000",
    "Content-Type": "text/plain; charset=utf-8",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return new TextEncoder().encode([...lines, "", body.replace(/\r?\n/g, "\r\n")].join("\r\n"));
}
