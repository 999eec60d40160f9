import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findButton,
  findCard,
  issueButtons,
  storeCardOfButtons,
  type Button,
} from "../../../src/plugins/channels/people/buttons.ts";
import { FakeD1 } from "../../sim/site/d1.ts";

/** Buttons of cards, and answers to the messages that have them. */

let d1: FakeD1;
beforeEach(() => void (d1 = new FakeD1()));
afterEach(() => d1.close());

const NOW = 1_700_000_000_000;
const BUTTON: Button = {
  session: "ses",
  sessionAt: 7,
  approval: "r1s1c0a1",
  shown: "sha256:a",
  decision: "deny",
  address: { channel: "telegram", place: "-100" },
  userId: "4711",
  expiresAt: NOW + 1_000,
};
const issue = async (more: Partial<Button> = {}, at = NOW): Promise<string> =>
  (await issueButtons(d1.binding, [{ ...BUTTON, ...more }], at))[0] ?? "";

describe("a button", () => {
  test("stands for its decision up to the last millisecond of its time", async () => {
    const token = await issue();
    expect(await findButton(d1.binding, token, NOW + 999)).toEqual(BUTTON);
    expect(await findButton(d1.binding, token, NOW + 1_000)).toBeNull();
    expect(await findButton(d1.binding, `${token}x`, NOW)).toBeNull();
  });

  test("that has ended is deleted when others are made, and its token is stored nowhere", async () => {
    const first = await issue();
    await issue({}, NOW + 999);
    expect(d1.rows("SELECT digest FROM channel_buttons")).toHaveLength(2);
    await issue({}, NOW + 1_000);
    const rows = d1.rows("SELECT * FROM channel_buttons");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(first);
  });
});

describe("an answer to a card", () => {
  const card = { channel: "telegram", place: "-100", userId: "4711", card: "77" } as const;

  test("is known for one by its person, its place and its message together", async () => {
    await storeCardOfButtons(d1.binding, [await issue()], "77");
    expect(await findCard(d1.binding, card)).toMatchObject({
      session: "ses",
      sessionAt: 7,
      approval: "r1s1c0a1",
    });
    const others = [{ userId: "42" }, { place: "-200" }, { card: "78" }, { channel: "slack" as const }];
    for (const other of others) expect(await findCard(d1.binding, { ...card, ...other })).toBeNull();
  });

  test("is no reason where the card has no button that says no", async () => {
    const decisions = ["extend", "finish"] as const;
    const tokens = await Promise.all(decisions.map((decision) => issue({ decision })));
    await storeCardOfButtons(d1.binding, tokens, "77");
    expect(await findCard(d1.binding, card)).toBeNull();
  });
});
