import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { blockChat } from "../../../src/plugins/channels/people/chats.ts";
import { createCode, redeemCode } from "../../../src/plugins/channels/people/links.ts";
import { storeChat } from "../../../src/plugins/channels/people/chats.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** Where and when a person wants to be told: only their own, and only what can be. */

const PATH = "/api/me/notify";
const NIGHT = { from: "22:00", to: "07:00" };
interface Notify {
  readonly zone: string | null;
  readonly quiet: { readonly from: string; readonly to: string } | null;
  readonly ask: string;
  readonly places: readonly object[];
}
interface Refused {
  readonly error: { code: string; message: string; hint: string | null; issues?: { path: string }[] };
}

const api = openApi();
const put = (body: unknown): RequestInit => ({
  method: "PUT",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

async function link(subject: string, place: string, name: string, at: number): Promise<void> {
  const { code } = await createCode(env.DB, { subject, scopes: ["read"] }, at);
  await redeemCode(env.DB, code, { channel: "telegram", user: { id: place, name }, place }, at);
  await storeChat(
    env.DB,
    { channel: "telegram", place },
    { session: "s1", sessionAt: null, subject, isGroup: false, at },
  );
}

describe("the notification settings of a person", () => {
  test("are the deployment's until the person sets their own", async () => {
    const first = await api.json<Notify>(200, PATH);
    expect(first).toEqual({ zone: null, quiet: NIGHT, ask: "auto", places: [] });
    await api.json(200, PATH, put({ zone: "Europe/Berlin" }));
    await api.json(200, PATH, put({ quiet: { from: "23:30", to: "06:45" } }));
    const changed = await api.json<Notify>(200, PATH, put({ ask: "page" }));
    expect(changed).toEqual({
      ...first,
      zone: "Europe/Berlin",
      quiet: { from: "23:30", to: "06:45" },
      ask: "page",
    });
    expect(await api.json<Notify>(200, PATH)).toEqual(changed);
    expect(await api.json<Notify>(200, PATH, { who: "bob" })).toEqual(first);
    expect(await api.json<Notify>(200, PATH, put({ zone: null, quiet: null }))).toMatchObject({
      zone: null,
      quiet: null,
      ask: "page",
    });
  });

  test("list linked places, and which of them block Cairn", async () => {
    const now = Date.now();
    await link("alice", "71", "Alice", now);
    await link("alice", "72", "Alice at work", now + 1_000);
    await link("bob", "73", "Bob", now);
    await blockChat(env.DB, { channel: "telegram", place: "71" }, now);
    const { places } = await api.json<Notify>(200, PATH, put({ ask: "telegram:71" }));
    expect(places).toEqual([
      { id: "telegram:72", channel: "telegram", name: "Alice at work", blocked: false },
      { id: "telegram:71", channel: "telegram", name: "Alice", blocked: true },
    ]);
    const foreign = await api.json<Refused>(400, PATH, put({ ask: "telegram:73" }));
    expect(foreign.error).toMatchObject({ code: "invalid_request", issues: [{ path: "ask" }] });
    expect(foreign.error.hint).toContain("Send auto, page or an id of places");
    expect((await api.json<Notify>(200, PATH)).ask).toBe("telegram:71");
    const gone = await api.call("/api/links/telegram/71", { method: "DELETE" });
    expect(gone.status).toBe(204);
    expect((await api.json<Notify>(200, PATH)).ask).toBe("auto");
  });

  test.each([
    [{ zone: "Berlin" }, "zone", "Europe/Berlin"],
    [{ zone: "+02:00" }, "zone", "Europe/Berlin"],
    [{ quiet: { from: "24:00", to: "07:00" } }, "quiet.from", "such as 22:00"],
    [{ quiet: { from: "22:00", to: "7" } }, "quiet.to", "such as 22:00"],
    [{ quiet: { from: "22:00", to: "22:00" } }, "quiet", "send null"],
    [{ quiet: { from: "22:00" } }, "quiet.to", ""],
    [{ ask: "" }, "ask", ""],
  ])("are refused if invalid, with the expected form: %j", async (body, path, words) => {
    const { error } = await api.json<Refused>(400, PATH, put(body));
    expect(error).toMatchObject({ code: "invalid_request", issues: [{ path }] });
    expect(error.message).toContain(words);
  });
});
