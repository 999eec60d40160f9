import { NO_SEAL } from "../../../src/plugins/cms/protocol/site-file.ts";
import type { Manifest } from "../../../src/plugins/cms/protocol/site-file.ts";
import { makeSite, services } from "../../worker/cms/fixture.ts";
import { Round } from "../../worker/cms/scale/every-call.ts";
import { LARGE, makeLarge } from "../../worker/cms/scale/large-site.ts";
import {
  comeIn,
  manifestIn,
  membersOut,
  sealedWith,
  type Request as SiteRequest,
} from "../../worker/cms/scale/out-and-in.ts";
import { Recorder } from "../../worker/cms/scale/recorder.ts";

/** The large site in workerd, and what each call on it costs. */

export interface CallCost {
  readonly name: string;
  readonly ms: number;
  readonly read: number;
  readonly written: number;
}

/** Cost of each request of one kind. */
export interface FileCost {
  readonly what: "export" | "part" | "finish";
  readonly requests: readonly { readonly ms: number; readonly read: number; readonly written: number }[];
}

export interface FileCosts {
  readonly members: number;
  readonly bytes: number;
  readonly memberBytesMax: number;
  readonly costs: readonly FileCost[];
}

export type ScaleOrder =
  | { readonly do: "migrate"; readonly sql: readonly string[] }
  | { readonly do: "make" }
  | { readonly do: "round"; readonly n: number }
  /** the site out, and in again as an environment of this name */
  | { readonly do: "file"; readonly name: string };

async function round(env: Env, n: number): Promise<CallCost[]> {
  const recorder = new Recorder(env.DB);
  const costs: CallCost[] = [];
  await new Round({ ...env, DB: recorder.db }, n).all(async (name, act) => {
    recorder.cost();
    const from = performance.now();
    await act();
    const ms = performance.now() - from;
    const { read, written } = recorder.cost();
    costs.push({ name, ms, read, written });
  });
  return costs;
}

async function file(env: Env, name: string): Promise<FileCosts> {
  const recorder = new Recorder(env.DB);
  const recorded = { ...env, DB: recorder.db };
  const taken = new Map<FileCost["what"], FileCost["requests"]>();
  const request: SiteRequest = async (what, act) => {
    recorder.cost();
    recorder.sent.length = 0;
    const from = performance.now();
    const answer = await act();
    const { read, written } = recorder.cost();
    taken.set(what, [...(taken.get(what) ?? []), { ms: performance.now() - from, read, written }]);
    return answer;
  };
  let [seal, bytesMax]: [typeof NO_SEAL, number] = [NO_SEAL, 0];
  let manifest: Manifest | null = null;
  for await (const one of membersOut(recorded, request)) {
    manifest ??= manifestIn(one);
    seal = await sealedWith(seal, one);
    bytesMax = Math.max(bytesMax, one.bytes.length);
  }
  if (manifest === null) throw new Error("a file has a manifest");
  // Read once more as it goes in: nobody holds all of it.
  const again = membersOut(env, (_, act) => act());
  await comeIn(recorded, { name, manifest, seal }, again, request);
  const costs = [...taken].map(([what, requests]): FileCost => ({ what, requests }));
  return { members: seal.members, bytes: seal.bytes, memberBytesMax: bytesMax, costs };
}

export default {
  async fetch(request, env) {
    const order: ScaleOrder = await request.json();
    try {
      switch (order.do) {
        case "migrate":
          for (const sql of order.sql) await env.DB.prepare(sql).run();
          return Response.json({});
        case "make":
          await makeSite();
          await makeLarge(services, LARGE);
          return Response.json({});
        case "round":
          return Response.json(await round(env, order.n));
        case "file":
          return Response.json(await file(env, order.name));
      }
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error), {
        status: 500,
      });
    }
  },
} satisfies ExportedHandler<Env>;
