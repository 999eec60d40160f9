import { afterEach, describe, expect, test, vi } from "vitest";
import { env } from "cloudflare:workers";
import { gated } from "../sessions/session-fixture.ts";
import { openTelegram } from "./telegram-chat.ts";

/** Commands of a chat that choose who answers, or add to what is at work. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let people = 0;
let updates = 0;

async function opened(variables: Record<string, unknown> = {}) {
  const chat = openTelegram(variables);
  const id = 8_000_000 + (people += 1);
  await chat.links(id);
  /** The answer in the chat; the last one where there is none. */
  const says = async (text: string, update = (updates += 1)): Promise<string | undefined> => {
    const message = {
      message_id: update,
      date: 1,
      from: { id, first_name: "A" },
      chat: { id, type: "private" },
      text,
    };
    expect(await chat.posts({ update_id: update, message })).toBe(200);
    return chat.vendor.sent.at(-1);
  };
  const session = async () => {
    const name = await env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1")
      .bind(String(id))
      .first<string>("session");
    return await chat.api.json<{ agent: string; model: string | null }>(200, `/api/sessions/${name ?? ""}`);
  };
  return { chat, id, says, session };
}

afterEach(() => vi.restoreAllMocks());

describe("/model", () => {
  test("lists the models, and chooses one for the conversation, before its first message too", async () => {
    const { says, session } = await opened({
      MODELS_ALLOWED: "rehearsal:,openai-compatible:small",
      OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:11434/v1",
    });
    expect(await says("/model")).toContain("openai-compatible:small");
    expect(await says("/model openai-compatible:small")).toBe(
      "The model “openai-compatible:small” answers from now on.",
    );
    expect((await session()).model).toBe("openai-compatible:small");
    expect(await says("/model default")).toBe("The model of the deployment answers from now on.");
  });

  test.each(["gpt-9", "openrouter:any/model", "rehearsal:x y"])("refuses %s", async (name) => {
    const { says } = await opened();
    expect(await says(`/model ${name}`)).toBe(
      "This model may not be named here. <code>/model</code> lists those that may.",
    );
  });
});

describe("/agent", () => {
  test("lists the agents, and chooses one for the conversation", async () => {
    const { says, session } = await opened();
    const listed = (await says("/agent")) ?? "";
    const names = [...listed.matchAll(/• (\S+)/g)].map(([, name]) => name ?? "");
    expect(names).toContain("default");
    const other = names.find((name) => name !== "default") ?? "";
    expect(await says(`/agent ${other}`)).toBe(`The agent “${other}” answers from now on.`);
    expect((await session()).agent).toBe(other);
  });

  test.each(["nobody", "../default", "a b"])("refuses %s, and changes nothing", async (name) => {
    const { says, session } = await opened();
    await says("/say Hello.");
    const before = (await session()).agent;
    expect(await says(`/agent ${name}`)).not.toContain("answers from now on");
    expect((await session()).agent).toBe(before);
  });
});

describe("/add", () => {
  test("joins the live run once, though its update is repeated", async () => {
    const { chat, id, says } = await opened();
    await says(gated());
    await vi.waitFor(async () => {
      expect((await chat.entries(id)).map(({ kind }) => kind)).toContain("approval_requested");
    }, WAIT);
    const update = (updates += 1);
    expect(await says("/add And in blue.", update)).toBe("Added: it is read at the next step.");
    await says("/add And in blue.", update);
    const joined = (await chat.entries(id)).filter(({ body }) => body["mode"] === "join");
    expect(joined.map(({ body }) => body["parts"])).toEqual([[{ type: "text", text: "And in blue." }]]);
    // The update has its own id, and the run keeps that of the message that began it.
    expect(joined.map(({ body }) => body["traceId"])).toEqual([expect.stringMatching(/^[\w-]{8,64}$/)]);
  });

  test.each(["/add More.", "/add   More of it.\nAnd more."])(
    "without a live run says so: %s",
    async (text) => {
      const { says, chat, id } = await opened();
      expect(await says(text)).toBe("Nothing is at work, so nothing can be added. Say it as a message.");
      expect(await chat.entries(id)).toEqual([]);
    },
  );

  test("without words says what it needs", async () => {
    const { says } = await opened();
    expect(await says("/add")).toBe("Say what is to be added: <code>/add TEXT</code>.");
  });
});

test("/help lists them", async () => {
  const { says } = await opened();
  const help = await says("/help");
  for (const command of ["/add TEXT", "/agent", "/model"]) expect(help).toContain(command);
});
