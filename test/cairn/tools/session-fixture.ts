import type { Pack } from "../../../src/cairn/tools/define.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";

/**
 * A session with a pack of one's own, on a fake platform: the real loop, store, guards and approvals, in Node. The model
 * says one line of the script a step. `say` and `decide` are what the person does, `settle` lets the session work until it
 * rests, `log` and `state` are what came of it, and `restart` is a crash.
 */
export function sessionOf<Env, Services>(
  pack: Pack<Env, Services>,
  env: Env,
  script: readonly Line[],
): FakePlatform {
  const platform = new FakePlatform(script);
  platform.own = (tools) => tools.add(pack, env);
  platform.restart();
  return platform;
}
