import { expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/core/log/json.ts";
import { definePack, defineTool } from "../../src/tools/define.ts";
import { Registry } from "../../src/tools/registry.ts";

/** The time that a tool has: its own limit, or what its run has left where that is less (guards 2.4). */

const stopped: string[] = [];
const hanging = defineTool({
  name: "hang",
  version: 1,
  title: "Hang",
  description: "Never comes back.",
  effect: "read",
  tier: "open",
  input: z.strictObject({}),
  timeoutMs: 60_000,
  run: (_input, { signal }) =>
    new Promise<Json>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        stopped.push("hang");
        reject(new Error("aborted"));
      });
    }),
});
const slow = definePack<unknown, null>({
  name: "slow",
  tools: [hanging],
  prompts: [],
  services: () => null,
});
const order = {
  ...{ call: "r1s1c0", tool: "hang", key: "demo/r1s1c0", run: "demo.r1", subject: "me" },
  ...{ input: {}, attempt: 1, at: 0, approved: null },
};

test("a tool that outlives the time of its run is stopped, and told as too slow", async () => {
  const tools = new Registry("demo", () => 0).add(slow, {});
  const ran = await tools.run({ ...order, timeMs: 5 }, new AbortController().signal);
  expect(ran).toMatchObject({
    kind: "failed",
    lost: true,
    failure: { class: "timeout", code: "timed_out", message: "No result within 5 ms." },
  });
  expect(stopped).toEqual(["hang"]);
});
