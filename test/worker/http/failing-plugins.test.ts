import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../../src/cairn/agents/define.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import { offered, type Plugin } from "../../../src/cairn/plugin.ts";
import { rehearsal } from "../../../src/plugins/rehearsal/plugin.ts";
import type { SessionPart } from "../../../src/cairn/session/part.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";

/** A plugin that throws, in each of its functions: the worker and the sessions go on without it, and /healthz names it. */

const agents = { default: defineAgent({ description: "Keeps our shop." }) };

const weigh = definePack<object, object>({
  name: "scales",
  tools: [
    defineTool<object, z.ZodType, number>({
      name: "weigh_parcel",
      description: "Weighs a parcel.",
      input: z.strictObject({}),
      effect: "read",
      tier: "open",
      run: async () => 250,
    }),
  ],
  prompts: [],
  services: () => ({}),
});

/** Works, next to the one that does not. */
const scales: Plugin<SessionPart, string> = {
  name: "scales",
  settings: (_env, problem) => {
    problem("SCALES_UNIT", "Must be g or oz.");
    return "g";
  },
  tools: () => [offered(weigh, {})],
  routes: ({ pages }, _deps, unit) => {
    pages.get("/scales", () => new Response(unit));
  },
};

const fail = (): never => {
  throw new Error("the printer of the-secret-1234 is gone");
};

interface Health {
  readonly status: string;
  readonly problems: readonly { variable: string; message: string; plugin?: string }[];
}

function openShop(printer: Omit<Plugin, "name">) {
  const plugin = { name: "printer", secrets: ["PRINTER_KEY"], ...printer };
  const cairn = createCairn({ agents, plugins: [plugin, scales, rehearsal()] });
  const bindings = { ...env, PRINTER_KEY: "the-secret-1234" };
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const ask = async (path: string): Promise<Response> =>
    cairn.worker.fetch(
      new Request(`http://127.0.0.1${path}`) as Parameters<typeof cairn.worker.fetch>[0],
      bindings,
      context as unknown as ExecutionContext,
    );
  const problems = async (): Promise<Health["problems"]> => {
    return (await (await ask("/healthz")).json<Health>()).problems;
  };
  /** Makes its session on the storage of an object of the test worker, and asks it for its log. */
  const openSession = (name: string) =>
    runInDurableObject(env.SESSION.get(env.SESSION.idFromName(name)), async (_own, state) => {
      // The wakes would be those of the object behind the stub, which has another project.
      state.storage.setAlarm = () => Promise.resolve();
      const session = new cairn.Session(state, bindings);
      const actor = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
      const message = {
        id: "m1",
        parts: [{ type: "text", text: "How heavy is it?" }],
        mode: null,
        source: "message",
        request: null,
        ask: {},
      };
      return session.command("send", actor, [message]);
    });
  return { ask, problems, openSession, worker: cairn.worker, bindings };
}

const UNIT = {
  variable: "SCALES_UNIT",
  message: "Must be g or oz. Only what it is for is off.",
  plugin: "scales",
};
const failed = (part: string) => ({
  variable: "plugin printer",
  message: `Its ${part} failed: the printer of [secret:PRINTER_KEY] is gone. Only what it is for is off.`,
  plugin: "printer",
});

describe("a plugin that throws", () => {
  test.each<readonly [part: string, printer: Omit<Plugin, "name">]>([
    ["settings", { settings: fail }],
    ["shared part", { shared: fail }],
    ["routes", { routes: fail }],
    ["list of problems", { shared: () => ({ problems: fail }) }],
  ])("in its %s is named by /healthz, and the others work", async (part, printer) => {
    const shop = openShop(printer);
    const found = await shop.problems();
    // The list of problems fails while the answer is made.
    expect(found).toEqual(expect.arrayContaining([UNIT, failed(part)]));
    expect(found).toHaveLength(2);
    expect(await (await shop.ask("/scales")).text()).toBe("g");
    const { items } = await (await shop.ask("/api/tools")).json<{ items: { name: string }[] }>();
    expect(items.map(({ name }) => name)).toContain("weigh_parcel");
  });

  test("in its settings is left out whole", async () => {
    const shop = openShop({
      settings: fail,
      routes: ({ pages }) => void pages.get("/printer", () => new Response("prints")),
    });
    expect((await shop.ask("/printer")).status).toBe(404);
  });

  test("in its tools is named by /healthz", async () => {
    const found = await openShop({ tools: fail }).problems();
    expect(found.map(({ variable }) => variable)).toEqual(["plugin printer", "SCALES_UNIT"]);
  });

  test("in a job is named by /healthz", async () => {
    const { worker, bindings, problems } = openShop({ scheduled: fail });
    const event = { scheduledTime: 0, cron: "* * * * *", noRetry: () => undefined };
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    await expect(
      worker.scheduled(event as never, bindings, context as unknown as ExecutionContext),
    ).rejects.toThrow("These jobs failed: printer.");
    expect(await problems()).toEqual([UNIT, failed("list of jobs")]);
  });

  test.each<readonly [part: string, printer: Omit<Plugin, "name">]>([
    ["part of a session", { session: fail }],
    ["tables", { tables: [{ version: 1, sql: "CREATE TABLE IF NOT EXISTS prints (n INTEGER) STRCT" }] }],
    ["shared part", { shared: () => ({ ready: () => Promise.reject(new Error("not ready")) }) }],
  ])("in its %s: the session works without it", async (part, printer) => {
    const shop = openShop(printer);
    expect(await shop.openSession(`ses_${part.replaceAll(" ", "_")}`)).toMatchObject({ ok: true });
    const found = await shop.problems();
    expect(found.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(new RegExp(`^Its ${part} failed: `)),
    );
  });
});

test("options of an agent for a plugin that is not there are named by /healthz, and the agent works", async () => {
  const options = { scanner: { pages: 2 } };
  const cairn = createCairn({
    agents: { default: defineAgent({ description: "Keeps our shop.", options }) },
    plugins: [{ name: "printer", options: z.strictObject({ copies: z.number() }) }, rehearsal()],
  });
  const request = new Request("http://127.0.0.1/healthz") as Parameters<typeof cairn.worker.fetch>[0];
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const answer = await cairn.worker.fetch(request, env, context as unknown as ExecutionContext);
  const { status, problems } = await answer.json<Health>();
  expect(status).toBe("ok");
  expect(problems).toEqual([
    {
      variable: "src/agents: default, options.scanner",
      message:
        "No plugin of this deployment takes options under this name. Add the plugin, or remove the options. Only what it is for is off.",
    },
  ]);
});

test("tables that cannot be are refused at load, with a sentence", () => {
  const tables = [{ version: 2, sql: "SELECT 1" }];
  expect(() => createCairn({ agents, plugins: [{ name: "printer", tables }] })).toThrow(
    "Migration 1 of plugin-printer has the version 2.",
  );
});
