import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  startTelegram,
  type TelegramStandIn,
  type TelegramUser,
} from "../../../scripts/channels-demo/telegram.ts";
import { useServer } from "../clients/server.ts";
import { TELEGRAM_SECRET, telegramVariables } from "./telegram-variables.ts";

/** Messages of unattended runs to a person in Telegram, through a real server. */

const WAIT = { timeout: 20_000, interval: 50 };
let telegram: TelegramStandIn;

beforeAll(async () => {
  telegram = await startTelegram();
});
afterAll(() => telegram.close());

const server = useServer(() => telegramVariables(telegram));

async function ask<Answer>(path: string, method = "GET", body?: object): Promise<Answer> {
  const init = { method, headers: { "content-type": "application/json" } };
  const response = await fetch(
    `${server.url}${path}`,
    body === undefined ? { method } : { ...init, body: JSON.stringify(body) },
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

interface Delivery {
  readonly state: string;
  readonly type: string;
  readonly endedAt: string | null;
}

const deliveries = async (session: string): Promise<readonly Delivery[]> =>
  (await ask<{ items: Delivery[] }>(`/api/sessions/${session}/deliveries`)).items;

const texts = ({ chat }: TelegramUser): string[] =>
  telegram.messages.filter((one) => one.chat.id === chat.id && one.from.is_bot).map(({ text }) => text);

const until = <Value>(look: () => Promise<Value | null> | Value | null): Promise<Value> =>
  vi.waitFor(async () => {
    const found = await look();
    if (found === null) throw new Error("not yet");
    return found;
  }, WAIT);

/** A person in a chat that has a session. */
async function talking(id: number): Promise<{ user: TelegramUser; session: string }> {
  telegram.setWebhook(`${server.url}/channels/telegram`, TELEGRAM_SECRET);
  const user = telegram.person(id, "Ada");
  const { code } = await ask<{ code: string }>("/api/links", "POST");
  await user.say(`/link ${code}`);
  await until(() => (texts(user).some((text) => text.includes("You are linked")) ? true : null));
  const before = new Set(
    (await ask<{ items: { id: string }[] }>("/api/sessions?limit=50")).items.map((one) => one.id),
  );
  await user.say("/say Hello.");
  await until(() => (texts(user).some((text) => text.includes("Hello.")) ? true : null));
  const session = await until(async () => {
    const { items } = await ask<{ items: { id: string }[] }>("/api/sessions?limit=50");
    return items.find((one) => !before.has(one.id))?.id ?? null;
  });
  return { user, session };
}

describe("what nobody was there to allow", () => {
  test("is kept, and told as one message with the next words of the person", async () => {
    const { user, session } = await talking(801);
    for (const news of ["The hut is open.", "The pass is closed."])
      await ask(`/api/sessions/${session}/schedules`, "POST", {
        text: `/call send_message ${JSON.stringify({ text: news })}\n/then\n/say Noted.`,
        at: new Date(Date.now() + 1_500).toISOString(),
      });
    const noted = await until(async () => {
      const found = (await deliveries(session)).filter(({ type }) => type === "note");
      return found.length === 2 ? found : null;
    });
    expect(noted).toEqual([
      expect.objectContaining({ state: "noted", endedAt: null }),
      expect.objectContaining({ state: "noted", endedAt: null }),
    ]);
    const heard = texts(user).length;
    await user.say("/say Good morning.");
    await until(() => (texts(user).some((text) => text.includes("Good morning.")) ? true : null));
    await until(() => (texts(user).length === heard + 2 ? true : null));
    const digest = texts(user).find((text) => text.includes("were held for you")) ?? "";
    expect(digest).toContain("2 messages were held for you");
    expect(digest).toContain("The hut is open.");
    expect(digest).toContain("The pass is closed.");
    const told = (await deliveries(session)).filter(({ type }) => type === "note");
    expect(told.map(({ endedAt }) => endedAt === null)).toEqual([false, false]);
    expect(JSON.stringify(await ask<object>(`/api/sessions/${session}/messages`))).toContain(
      "were held for you",
    );
  });
});

describe("who is asked on the page alone", () => {
  test("gets no card, and one again when they want it", async () => {
    const { user, session } = await talking(802);
    const places = (await ask<{ places: { id: string }[] }>("/api/me/notify", "PUT", { ask: "page" })).places;
    expect(places.map(({ id }) => id)).toContain(`telegram:${user.chat.id}`);
    const gated = (name: string) =>
      `/call page_create {"name":"${name}"}\n/then\n/call page_delete {"pages":["${name.toLowerCase()}"]}\n/then\n/say Done.`;
    const cards = () =>
      telegram.messages.filter((one) => one.chat.id === user.chat.id && one.buttons.length > 0);
    await user.say(gated("Alone1"));
    await until(async () => {
      const card = (await deliveries(session)).find(({ type }) => type === "card");
      return card?.state === "delivered" ? card : null;
    });
    expect(cards()).toEqual([]);
    await user.say("/stop");
    await ask("/api/me/notify", "PUT", { ask: `telegram:${user.chat.id}` });
    await user.say(gated("Alone2"));
    await until(() => (cards().length === 1 ? true : null));
  });
});
