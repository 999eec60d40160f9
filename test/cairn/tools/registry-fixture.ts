import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { CallOrder } from "../../../src/cairn/core/log/tool.ts";
import { definePack, type AnyTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";

/** A registry with a test's own tools, and nothing else. */
export function registryOf(...tools: readonly AnyTool<null>[]): Registry {
  const own = definePack<null, null>({ name: "own", tools, prompts: [], services: () => null });
  return new Registry("test", () => 0).add(own, null);
}

/** The order of a first call, as a run gives it to the registry. */
export function orderOf(tool: string, input: Json, more: Partial<CallOrder> = {}): CallOrder {
  const call = { call: "r1s1c0", key: "test/r1s1c0", run: "r1", subject: "me" };
  return { ...call, tool, input, attempt: 1, at: 0, approved: null, ...more };
}
