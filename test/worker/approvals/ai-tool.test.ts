import { expect, test } from "vitest";
import { post } from "../http/routes-fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";

const api = openApi();

interface Asked {
  readonly args: unknown;
  readonly digest: string;
}

test("a tool of the AI SDK asks, and its card, its digest and its run have one value", async () => {
  const at = "/api/sessions/ses_ai_tool";
  const lines = [
    '/call pay_bill {"amount":5}',
    "/then",
    '/call pay_bill {"amount":12.5}',
    "/then",
    "/say Paid.",
  ];
  await api.say("ses_ai_tool", lines.join("\n"));
  const detail = await api.json<{ activeRun: { waitingFor: { id: string } | null } | null }>(200, at);
  const path = `${at}/approvals/${detail.activeRun?.waitingFor?.id}`;
  const asked = await api.json<Asked>(200, path);
  expect(asked).toMatchObject({ tool: "pay_bill", args: { amount: 1250 } });
  // The digest binds the value that the card shows: what is written there, converted once more, would be another.
  const seen = await api.json<Asked>(200, `${path}/preview`, post({ args: { amount: 1250 } }));
  expect(seen.digest).toBe(asked.digest);
  await api.json(200, path, post({ decision: "approve", digest: asked.digest }));
  const events = await api.call(`${at}/events?until=idle`, { headers: { accept: "text/event-stream" } });
  const text = await events.text();
  const paid = Array.from(text.matchAll(/\\?"paid\\?":(\d+)/g), ([, cents]) => cents);
  expect([...new Set(paid)]).toEqual(["500", "1250"]);
});
