import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { issueButtons } from "../../../src/plugins/channels/people/buttons.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import { makeSite } from "../cms/fixture.ts";
import { openChat, person } from "../channels/chat.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi, type Api, type Person } from "../sessions/session-fixture.ts";

/**
 * Approvals inside of children, for real: seen and decided over HTTP, over a socket and from a card in a chat. Crashes at
 * every crossing are tried in test/sim/family.
 */

beforeAll(makeSite);

const HOUR_MS = 3_600_000;
const within = { timeout: 25_000, interval: 50 };
const chat = openChat();
const api: Api = openApi({}, { channels: chat.channels });
const sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close(1000, "done");
});

interface Listed {
  readonly id: string;
  readonly sessionId: string;
  readonly state: string;
  readonly digest: string;
}
type Decision = "approve" | "edit" | "deny";
type Decides = (asked: Listed, decision: Decision, who?: Person, args?: object) => Promise<void>;

const list = async (query: string, who: Person = "alice"): Promise<readonly Listed[]> =>
  (await api.json<{ items: Listed[] }>(200, `/api/approvals?${query}`, { who })).items;

const byHttp: Decides = async ({ id, sessionId, digest }, decision, who = "alice", args) => {
  const body = args === undefined ? { decision, digest } : { decision, digest, args };
  await api.json(200, `/api/sessions/${sessionId}/approvals/${id}`, { ...post(body), who });
};

const bySocket: Decides = async ({ id, sessionId, digest }, decision, who = "alice", args) => {
  const response = await api.call(`/agents/session/${sessionId}`, { headers: { upgrade: "websocket" }, who });
  const socket = response.webSocket;
  if (socket === null) throw new Error(`not upgraded: ${response.status}`);
  sockets.push(socket);
  const answered = new Promise<unknown>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as { eventId?: string };
      if (frame.eventId === "decides") resolve(frame);
    });
  });
  socket.accept();
  const more = args === undefined ? {} : { args };
  socket.send(
    JSON.stringify({ type: "cairn:approve", eventId: "decides", approvalId: id, digest, decision, ...more }),
  );
  expect(await answered).toMatchObject({ type: "cairn:ack", ok: true });
};

let cards = 0;
/** A button of a card says yes or no; what else there is, such as an edit, is done on the page that it links to. */
const byChannel: Decides = async (asked, decision, who = "alice", args) => {
  if (decision === "edit") return byHttp(asked, decision, who, args);
  const userId = `u-${who}-${(cards += 1)}-${crypto.randomUUID().slice(0, 8)}`;
  const hears = (body: object): Promise<Response> =>
    api.call("/channels/telegram", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-secret": "right" },
      who: null,
    });
  const { code } = await api.json<{ code: string }>(201, "/api/links", { method: "POST", who });
  await hears(person(userId).commands("link", code));
  const button = {
    sessionAt: null,
    session: asked.sessionId,
    approval: asked.id,
    shown: asked.digest,
    userId,
    decision,
    address: { channel: "telegram", place: userId } as const,
    expiresAt: Date.now() + HOUR_MS,
  };
  const [token = ""] = await issueButtons(env.DB, [button], Date.now());
  await hears(person(userId).presses(token));
};

const WAYS: readonly (readonly [name: string, decides: Decides])[] = [
  ["HTTP", byHttp],
  ["a socket", bySocket],
  ["a card in a chat", byChannel],
];

/** Words of a large piece of work: a child of a small class has no room for children of its own. */
const LARGE =
  "First I looked at every page, then compared all of them, after that changed the ten oldest, and finally report what was done.";

let trees = 0;
let pages = 0;

/** Only a run that may start others lists run_agent. */
const MAY_START: RunOptions = {
  profile: "research",
  citations: "off",
  tools: ["page_create", "page_delete", "run_agent"],
};

/** Lines of a child that makes two pages and asks to delete the first, below so many others that only hand it on. */
function leaf(depth: number): { readonly line: string; readonly page: string } {
  const page = `leaf${(pages += 1)}`;
  let lines = [
    `/call page_create ${JSON.stringify({ name: page })}`,
    `/call page_create ${JSON.stringify({ name: `${page}b` })}`,
    "/then",
    `/call page_delete ${JSON.stringify({ pages: [page] })}`,
    "/then",
    `/say ${LARGE}`,
  ];
  for (let level = 1; level < depth; level += 1)
    lines = [`/call run_agent ${JSON.stringify({ objective: lines.join("\n") })}`, "/then", `/say ${LARGE}`];
  return { line: `/call run_agent ${JSON.stringify({ objective: lines.join("\n") })}`, page };
}

/** A tree of Alice's whose leaves wait at this depth, side by side. What they ask stands in her inbox, under their ids. */
async function waiting(depth: number, width: number, ask: RunOptions = {}) {
  const root = `ses_tree_${(trees += 1)}`;
  const leaves = Array.from({ length: width }, () => leaf(depth));
  const text = [...leaves.map(({ line }) => line), "/then", "/say All told."].join("\n");
  const said = await sessionClient(env, root).send(
    { subject: "alice", scopes: ["read", "send", "approve"], via: "http" },
    {
      id: "m1",
      parts: [{ type: "text", text }],
      mode: null,
      source: "api",
      request: null,
      ask: { ...MAY_START, ...ask },
    },
  );
  expect(said).toMatchObject({ ok: true });
  const names = leaves.map((_, at) => `${root}~r1s1c${at}${"~r1s1c0".repeat(depth - 1)}`);
  const own = async (): Promise<Listed[]> =>
    (await list("state=pending&limit=100")).filter(({ sessionId }) => sessionId.startsWith(root));
  await expect
    .poll(async () => (await own()).map(({ sessionId }) => sessionId).toSorted(), within)
    .toEqual(names);
  const asked = await own();
  const byName = names.map((name) => asked.find(({ sessionId }) => sessionId === name) ?? asked[0]);
  return { root, leaves, names, asked: byName as Listed[] };
}

const ended = async (session: string): Promise<string | undefined> => {
  const { items } = await api.json<{ items: { kind: string; body: { outcome?: string } }[] }>(
    200,
    `/api/sessions/${session}/events?limit=1000`,
  );
  return items.find(({ kind }) => kind === "run_ended")?.body.outcome;
};

async function entriesOf(session: string, kind: string): Promise<Record<string, unknown>[]> {
  const { items } = await api.json<{ items: { kind: string; body: Record<string, unknown> }[] }>(
    200,
    `/api/sessions/${session}/events?limit=1000`,
  );
  return items.filter((entry) => entry.kind === kind).map(({ body }) => body);
}

/** Each was decided once, in its own session, and reported once to whoever started it. */
async function expectDecided(session: string, decision: string): Promise<void> {
  expect((await entriesOf(session, "approval_decided")).map((body) => body["decision"])).toEqual([decision]);
  const [, parent = "", call] = /^(.+)~(r\d+s\d+c\d+)$/.exec(session) ?? [];
  const reports = (await entriesOf(parent, "child_reported")).filter((body) => body["call"] === call);
  expect(reports.map((body) => [body["child"], body["outcome"]])).toEqual([[session, "completed"]]);
}

describe.each([1, 2, 3])("children at depth %i ask", (depth) => {
  test.each(WAYS)(
    "three at once; yes, no and an edit by %s reach the one that asked",
    async (_name, decides) => {
      const { root, leaves, names, asked } = await waiting(depth, 3);
      const [yes, no, edit] = asked;
      if (yes === undefined || no === undefined || edit === undefined) throw new Error("three ask");
      await decides(no, "deny");
      await decides(edit, "edit", "alice", { pages: [`${leaves[2]?.page}b`] });
      await decides(yes, "approve");
      await expect.poll(() => ended(root), within).toBe("completed");
      for (const [at, decision] of ["approve", "deny", "edit"].entries())
        await expectDecided(names[at] ?? "", decision);
      expect(await list(`state=pending&sessionId=${yes.sessionId}`)).toEqual([]);
    },
  );

  test.each(WAYS)("two people must agree, by %s", async (_name, decides) => {
    const ask: RunOptions = { approval: { needed: 2, of: ["alice", "bob"] } };
    const { root, names, asked } = await waiting(depth, 1, ask);
    const [one] = asked;
    if (one === undefined) throw new Error("nothing waits");
    await decides(one, "approve");
    expect(await list(`state=pending&sessionId=${one.sessionId}`, "bob")).toHaveLength(1);
    expect(await entriesOf(one.sessionId, "approval_decided")).toEqual([]);
    // Bob may decide, and has no socket to a session of Alice's.
    await (decides === bySocket ? byHttp : decides)(one, "approve", "bob");
    await expect.poll(() => ended(root), within).toBe("completed");
    await expectDecided(names[0] ?? "", "approve");
  });

  test("and nobody answers in time: it is over for the child, and the tree goes on", async () => {
    const { root, names } = await waiting(depth, 1, { approval: { expiresMs: 1_500 } });
    await expect.poll(() => ended(root), within).toBe("completed");
    await expectDecided(names[0] ?? "", "expired");
    expect((await list(`state=expired&sessionId=${names[0]}`)).map(({ sessionId }) => sessionId)).toEqual(
      names,
    );
  });
});
