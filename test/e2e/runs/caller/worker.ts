import type { CairnApi } from "../../../../src/cairn/api.ts";
import { isCairnError } from "../../../../src/cairn/cairn-error.ts";

/** Another Worker of the account, which does what a test asks: `{binding, method, args}`. */

type Bindings = Readonly<Record<string, CairnApi>>;

export interface Order {
  readonly binding: string;
  readonly method: "run" | "readRun" | "send" | "approvals" | "decide";
  /** a text `$NAME` stands for a value of ODD */
  readonly args: readonly unknown[];
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** Values that RPC carries and JSON does not, or not in bounds. */
const ODD: Readonly<Record<string, () => unknown>> = {
  $cycle: () => cycle,
  $function: () => () => 1,
  $date: () => new Date(0),
  $map: () => new Map([["objective", "/say Done."]]),
  $holes: () => Object.assign([], { length: 4_000_000_000 }),
  $deep: () => nested(500),
  $many: () => Array.from({ length: 60_000 }, () => 0),
  $large: () => "a".repeat(2_000_000),
  $stream: () => new Response("words").body,
};

const madeOf = (given: unknown): unknown => {
  if (typeof given === "string") return ODD[given]?.() ?? given;
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, madeOf(value)]));
};

async function call(api: CairnApi, { method, args: given }: Order): Promise<unknown> {
  // A test gives what the types would refuse.
  const args = given.map((each) => madeOf(each) as never);
  if (method === "send") {
    const [session, message, options] = args;
    return await api.session(session as never).send(message as never, options);
  }
  return await (api[method] as (...args: readonly never[]) => Promise<unknown>)(...args);
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const order = await request.json<Order>();
    const api = env[order.binding];
    if (api === undefined) return new Response("no such binding", { status: 404 });
    try {
      return Response.json({ value: await call(api, order) });
    } catch (error) {
      const isTyped = isCairnError(error);
      const { name, message, stack } = error as Error;
      return Response.json({ refused: { isTyped, name, message, stack, ...(error as object) } });
    }
  },
};
