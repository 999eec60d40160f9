import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { createOutside, ORDER_SECRET, type Line, type Outside } from "./outside.ts";
import { ada, api, decide, expectSound, given, left, say, stands } from "./session.ts";

/** A tool that is stored as data, from the model's call to the request that arrives: approved, denied, and with a crash in between. */

const order: readonly Line[] = [
  { calls: [["order", "north/1"]] },
  { text: "It is not known whether the order was placed: please check before it is sent again." },
];
const URL_SENT = "https://orders.example.com/shops/north%2F1/orders";

/** No log, no prompt and no view has the secret, which this session could not redact: its environment does not know it. */
async function expectNoSecret(session: string, outside: Outside): Promise<void> {
  const shown = [
    await expectSound(session),
    outside.requests,
    await given(api(session).messages(ada, 100, null)),
  ];
  expect(JSON.stringify(shown)).not.toContain(ORDER_SECRET);
}

const cardOf = (outside: Outside): string =>
  JSON.stringify(outside.log.find((entry) => entry.kind === "approval_requested")?.body);
const statuses = (outside: Outside): readonly string[] =>
  outside.log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.status] : []));

describe("a stored tool", () => {
  test("sends what the card showed once it is approved, once, with its secret", async () => {
    const outside = createOutside("order-yes", order);
    await say("order-yes");
    await left("order-yes", "approval_requested");
    expect(outside.ordered).toEqual([]);
    expect(cardOf(outside)).toContain(`POST ${URL_SENT}`);
    expect(cardOf(outside)).toContain("Bearer secret:ORDERS_KEY");
    await given(decide("order-yes"));
    await left("order-yes", "run_ended");
    expect(outside.ordered.map(({ url }) => url)).toEqual([URL_SENT]);
    expect(outside.ordered[0]?.headers).toContain(`Bearer ${ORDER_SECRET}`);
    expect(statuses(outside)).toEqual(["ok"]);
    await expectNoSecret("order-yes", outside);
  });

  test("sends nothing once it is denied", async () => {
    const outside = createOutside("order-no", order);
    await say("order-no");
    await left("order-no", "approval_requested");
    const no = {
      approval: "r1s1c0a1",
      decision: "deny",
      args: null,
      reason: "Not now.",
      digest: null,
    } as const;
    await given(api("order-no").decide(ada, no));
    await left("order-no", "run_ended");
    expect(outside.ordered).toEqual([]);
    await expectNoSecret("order-no", outside);
  });

  test.each([
    ["before the request leaves", "order: before", 0],
    ["between the request and its answer", "order: after", 1],
  ] as const)("is sent no second time by a session that dies %s", async (name, place, times) => {
    const session = `order-dies-${name.length}`;
    const outside = createOutside(session, order, place);
    await say(session);
    await left(session, "approval_requested");
    await given(decide(session));
    await stands(session);
    await abortAllDurableObjects();
    await left(session, "run_ended");
    expect(outside.ordered).toHaveLength(times);
    expect(statuses(outside)).toEqual(["unknown"]);
    await expectNoSecret(session, outside);
  });

  test("that waits for a person survives the death of its session", async () => {
    const outside = createOutside("order-waits", order);
    await say("order-waits");
    await left("order-waits", "approval_requested");
    await abortAllDurableObjects();
    await given(decide("order-waits"));
    await left("order-waits", "run_ended");
    expect(outside.ordered.map(({ url }) => url)).toEqual([URL_SENT]);
    await expectNoSecret("order-waits", outside);
  });
});
