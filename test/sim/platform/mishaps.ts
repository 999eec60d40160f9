import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { Chance } from "./chance.ts";
import type { Line } from "./fake-model.ts";

/** Model calls and failures on a random day. */

/** A call that a model may ask for, one in twelve without what it needs. */
export function proposal(chance: Chance): [tool: string, input: Json] {
  const name = `n${chance.below(4)}`;
  const tool = chance.pick([
    "look",
    "look",
    "put",
    "send",
    "publish",
    "bulk",
    "store_memory",
    "nothing",
    "complete",
  ]);
  if (tool === "store_memory") return [tool, { key: name, value: `about ${name}` }];
  if (tool === "complete") return [tool, { answer: "It is done." }];
  return [tool, chance.once(12) ? {} : { name }];
}

/** How a tool may fail. */
export function failure(chance: Chance, tool: string): ToolError {
  if (chance.once(8)) {
    const retryAfterMs = chance.once(4) ? 3_600_000 : 20_000;
    return new ToolError("rate_limit", "limited", `${tool} is limited.`, { nothingDone: true, retryAfterMs });
  }
  if (chance.once(2))
    return new ToolError("network", "busy", `${tool} is busy.`, { nothingDone: chance.once(2) });
  return chance.once(2)
    ? new ToolError("not_found", "no_page", "There is no such page.")
    : new ToolError("timeout", "too_slow", `${tool} took too long.`);
}

/** How a provider may fail. */
export function providerFailure(chance: Chance): Extract<Line, { fail: unknown }>["fail"] {
  const failed: ModelErrorClass = chance.pick([
    "rate_limit",
    "overloaded",
    "network",
    "timeout",
    "cut_off",
    "cut_off",
    "auth",
    "context_overflow",
    "bad_request",
  ]);
  return { class: failed, message: "It failed.", retryAfterMs: chance.once(4) ? 20_000 : null, usage: null };
}
