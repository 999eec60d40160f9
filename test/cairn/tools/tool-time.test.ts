import { expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { defineTool } from "../../../src/cairn/tools/define.ts";
import { orderOf, registryOf } from "./registry-fixture.ts";

/** The time that a tool has: its own limit, or what its run has left where that is less. */

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
test("a tool that outlives the time of its run is stopped, and told as too slow", async () => {
  const order = orderOf("hang", {}, { timeMs: 5 });
  const ran = await registryOf(hanging).run(order, new AbortController().signal);
  expect(ran).toMatchObject({
    kind: "failed",
    lost: true,
    failure: { class: "timeout", code: "timed_out", message: "No result within 5 ms." },
  });
  expect(stopped).toEqual(["hang"]);
});
