import { makeSite, services } from "../../worker/cms/fixture.ts";
import { Round } from "../../worker/cms/scale/every-call.ts";
import { LARGE, makeLarge } from "../../worker/cms/scale/large-site.ts";
import { Recorder } from "../../worker/cms/scale/recorder.ts";

/** The large site in workerd, and what each call on it costs. */

export interface CallCost {
  readonly name: string;
  readonly ms: number;
  readonly read: number;
  readonly written: number;
}

export type ScaleOrder =
  | { readonly do: "migrate"; readonly sql: readonly string[] }
  | { readonly do: "make" }
  | { readonly do: "round"; readonly n: number };

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
      }
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error), {
        status: 500,
      });
    }
  },
} satisfies ExportedHandler<Env>;
