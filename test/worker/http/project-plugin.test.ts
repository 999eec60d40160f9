import { createExecutionContext, createScheduledController, env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { createCairn, defineAgent } from "../../../src/cairn/index.ts";
import { printer } from "../../fixtures/docs/printer.ts";

/** The plugin of docs/tools.md in a project of its own. */

const KEY = "sentinel-of-the-printer";
const CONNECTED = { PRINTER_URL: "https://printer.example/labels", PRINTER_KEY: KEY };

/** A worker reads its environment once, so each test has one of its own. */
function project(variables: Record<string, string> = {}) {
  const { worker } = createCairn({
    agents: { default: defineAgent({ description: "Keeps our shop." }) },
    plugins: [printer()],
  });
  const bound = { ...env, MODEL: "workers-ai:@cf/zai-org/glm-4.7-flash", ...variables };
  const ask = async (path: string, host = "127.0.0.1"): Promise<Response> =>
    await worker.fetch(
      new Request(`http://${host}${path}`) as Parameters<typeof worker.fetch>[0],
      bound,
      createExecutionContext(),
    );
  return {
    ask,
    runJobs: async () => await worker.scheduled(createScheduledController(), bound, createExecutionContext()),
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("adds its tool and its route, behind a credential", async () => {
  const { ask } = project(CONNECTED);
  const { items } = await (
    await ask("/api/tools")
  ).json<{ items: { name: string; pack: string; available: boolean }[] }>();
  expect(items).toContainEqual(
    expect.objectContaining({ name: "labels_left", pack: "labels", available: true }),
  );
  expect(await (await ask("/api/printer")).json()).toEqual({ connected: true });
  expect((await ask("/api/printer", "example.com")).status).toBe(401);
});

test("without its variables its tool is absent, with the reason", async () => {
  const { ask } = project();
  const { items } = await (await ask("/api/tools")).json<{ items: { name: string; why: string | null }[] }>();
  expect(items).toContainEqual(
    expect.objectContaining({ name: "labels_left", why: "PRINTER_URL is not set." }),
  );
  expect(await (await ask("/api/printer")).json()).toEqual({ connected: false });
});

test("its settings report a variable that is missing, and their throw names the plugin", async () => {
  const problems = async (variables: Record<string, string>): Promise<unknown> => {
    const answer = await project(variables).ask("/healthz");
    const { problems: all } = await answer.json<{ problems: { plugin?: string }[] }>();
    return all.filter(({ plugin }) => plugin === "printer");
  };
  vi.spyOn(console, "error").mockReturnValue();
  expect(await problems(CONNECTED)).toEqual([]);
  expect(await problems({ PRINTER_URL: CONNECTED.PRINTER_URL })).toEqual([
    expect.objectContaining({
      variable: "PRINTER_KEY",
      message: expect.stringMatching(/^It is not set, so the printer refuses every request\./),
    }),
  ]);
  expect(await problems({ PRINTER_URL: "none" })).toEqual([
    expect.objectContaining({
      variable: "plugin printer",
      message: expect.stringMatching(/^Its settings failed: /),
    }),
  ]);
});

test("its secret is named for the check of this machine alone, without its value", async () => {
  const { ask } = project(CONNECTED);
  const local = await (await ask("/healthz")).text();
  expect(JSON.parse(local)).toMatchObject({ secrets: ["PRINTER_KEY"] });
  expect(local).not.toContain(KEY);
  expect(await (await ask("/healthz", "cairn.example")).json()).not.toHaveProperty("secrets");
  // The plugin does not start with these.
  vi.spyOn(console, "error").mockReturnValue();
  const broken = project({ PRINTER_URL: "none" });
  expect(await (await broken.ask("/healthz")).json()).toMatchObject({ secrets: ["PRINTER_KEY"] });
});

test("its job runs at each time of the cron trigger", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(Response.json({ left: 3 }));
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await project(CONNECTED).runJobs();
  expect(asked).toHaveBeenCalledExactlyOnceWith(CONNECTED.PRINTER_URL, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  expect(warned).toHaveBeenCalledExactlyOnceWith("The printer has 3 labels left.");
});
