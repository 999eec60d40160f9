import * as z from "zod";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Model, ModelFailure, ModelReply, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { definePack, defineTool, ToolError } from "../../../src/cairn/tools/define.ts";
import { definitionSchema } from "../../../src/cairn/tools/stored/definition.ts";
import { storedPack, type StoredBindings } from "../../../src/cairn/tools/stored/pack.ts";

/** Model output in one step. `fail`: the error that ends its first attempt, after the text. */
export interface Line {
  readonly text?: string;
  readonly calls?: readonly (readonly [tool: Tool, name: string])[];
  readonly fail?: ModelFailure;
}

export type Tool = "look" | "put" | "send" | "publish" | "order";

/** long enough to do something to a session before its next alarm, on any machine */
export const LATE_MS = 3_000;

/** Where a session can be told to stand still. */
export type Place =
  | "asked: nothing has come yet"
  | "speaking: the first text is out"
  | "spoken: the reply is whole"
  | `${Tool}: before`
  | `${Tool}: after`
  | "preview";

/**
 * World outside one session: model output, counted tool effects, and the point where it pauses. It outlives the object,
 * which dies as often as a test likes.
 */
export class Outside {
  /** runs of `look`, by call */
  readonly looked: string[] = [];
  /** effects of `put` and `publish`: the keys, with how often each was asked for */
  readonly put = new Map<string, number>();
  /** effects of `send`: the calls */
  readonly sent: string[] = [];
  /** requests of the stored tool `order`, as they arrived */
  readonly ordered: { readonly url: string; readonly headers: string; readonly body: unknown }[] = [];
  /** every model call, as it was asked */
  readonly requests: ModelRequest[] = [];
  /** the log as the newest wake left it: what becomes of a session that nobody touches */
  log: readonly Entry[] = [];
  /** once a wake has left this entry as the newest, the next alarm comes LATE_MS late */
  lateAfter: Entry["kind"] | null = null;
  /** the platform says that an alarm stands at this time, and it never fires; setting one ends it */
  stalledAt: number | null = null;
  /** the sockets are out of reach: what is published reaches nobody */
  muted = false;
  /** the object dies when the entry of this kind is published */
  diesShowing: Entry["kind"] | null = null;
  /** fails the next `put` in passing */
  busy = false;
  /** the session stands where it was told to */
  stands = false;
  readonly #lines: readonly Line[];
  #stop: Place | null;
  #goOn: () => void = () => {};

  constructor(lines: readonly Line[], stop: Place | null = null) {
    this.#lines = lines;
    this.#stop = stop;
  }

  /** Stands still here if this is the place, the first time only. */
  async reach(place: Place): Promise<void> {
    if (this.#stop !== place) return;
    this.#stop = null;
    this.stands = true;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
  }

  /** Resumes a paused effect. Call it inside its own object: promises do not cross between objects. */
  goOn(): void {
    this.#goOn();
  }

  /** The lines are those of the first run's steps; whatever else is asked is answered. */
  line(step: string): Line {
    return this.#lines[Number(/^r1s(\d+)$/.exec(step)?.[1]) - 1] ?? { text: "Done." };
  }

  get ended(): boolean {
    return this.log.at(-1)?.kind === "run_ended";
  }
}

const outsides = new Map<string, Outside>();

/** Makes what is outside a session, before the session itself. */
export function createOutside(
  session: string,
  lines: readonly Line[] = [],
  stop: Place | null = null,
): Outside {
  const outside = new Outside(lines, stop);
  outsides.set(session, outside);
  return outside;
}

export function outsideOf(session: string): Outside {
  const outside = outsides.get(session);
  if (outside === undefined) throw new Error(`nobody has made what is outside ${session}`);
  return outside;
}

/** A model that says its lines in two pieces, and hears no stop. */
export function scriptedModel(outside: Outside): Model {
  return {
    call: async (request, draft) => {
      outside.requests.push(request);
      await outside.reach("asked: nothing has come yet");
      const line = outside.line(request.step);
      const { text = "", fail } = line;
      if (text !== "") {
        const half = Math.ceil(text.length / 2);
        draft({ type: "text", part: 0, text: text.slice(0, half) });
        await outside.reach("speaking: the first text is out");
        if (fail !== undefined && request.attempt === 1) return { kind: "failed", failure: fail };
        draft({ type: "text", part: 0, text: text.slice(half) });
      } else if (fail !== undefined && request.attempt === 1) return { kind: "failed", failure: fail };
      await outside.reach("spoken: the reply is whole");
      return { kind: "replied", reply: replyOf(line) };
    },
  };
}

export function replyOf({ text = "", calls = [] }: Line): ModelReply {
  const said = text === "" ? [] : [{ type: "text", text } as const];
  const asked = calls.map(([tool, name]) => ({ type: "call", tool, input: { name } }) as const);
  return {
    parts: [...said, ...asked],
    finish: calls.length > 0 ? "tool-calls" : "stop",
    usage: {
      inputTokens: 100,
      cachedInputTokens: 0,
      outputTokens: 10,
      reasoningTokens: 0,
      estimated: false,
    },
    model: "scripted",
    ms: 1,
    firstTokenMs: 1,
  };
}

const named = z.strictObject({ name: z.string() });
const about = { version: 1, description: "Of the tests.", input: named } as const;

/** One tool of each effect class, and one that a person decides on. */
export const outsidePack = definePack<Outside, Outside>({
  name: "outside",
  prompts: [],
  services: (outside) => outside,
  tools: [
    defineTool<Outside, typeof named, Json>({
      ...about,
      name: "look",
      title: "Look",
      effect: "read",
      tier: "open",
      run: async ({ name }, { services, call }) => {
        await services.reach("look: before");
        services.looked.push(call);
        await services.reach("look: after");
        return { saw: `a sheet with ${name} on it` };
      },
    }),
    defineTool<Outside, typeof named, Json>({
      ...about,
      name: "put",
      title: "Put",
      effect: "keyed",
      tier: "write",
      run: async ({ name }, { services, key }) => {
        await services.reach("put: before");
        if (services.busy) {
          services.busy = false;
          throw new ToolError("rate_limit", "busy", "Too much at once.");
        }
        services.put.set(key, (services.put.get(key) ?? 0) + 1);
        await services.reach("put: after");
        return { put: name };
      },
    }),
    defineTool<Outside, typeof named, Json>({
      ...about,
      name: "send",
      title: "Send",
      effect: "once",
      tier: "write",
      run: async ({ name }, { services, call }) => {
        await services.reach("send: before");
        services.sent.push(call);
        await services.reach("send: after");
        return { sent: name };
      },
    }),
    defineTool<Outside, typeof named, Json>({
      ...about,
      name: "publish",
      title: "Publish",
      effect: "keyed",
      tier: "publish",
      preview: async ({ name }, { services }) => {
        await services.reach("preview");
        return {
          need: { kind: "ask", reason: "It becomes public." },
          title: `Publish ${name}`,
          summary: `${name} becomes public.`,
          impact: [`/${name} answers 200`],
          basis: name,
        };
      },
      run: async ({ name }, { services, key }) => {
        await services.reach("publish: before");
        services.put.set(key, (services.put.get(key) ?? 0) + 1);
        await services.reach("publish: after");
        return { published: name };
      },
    }),
  ],
});

export const ORDER_SECRET = "a-secret-of-the-orders";

/** A tool as data, which a person is asked about. */
export const orderPack = storedPack([
  {
    name: "order",
    definition: definitionSchema.parse({
      method: "POST",
      url: "https://orders.example.com/shops/{name}/orders",
      inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      headers: { Authorization: "Bearer secret:ORDERS_KEY" },
      tier: "write",
      approval: "ask",
    }),
  },
]);

/** The shop behind it, and its name server. */
export const orderBindings = (outside: Outside): StoredBindings => ({
  HTTP_SECRETS: { ORDERS_KEY: { value: ORDER_SECRET, hosts: ["orders.example.com"] } },
  fetcher: async (url, init) => {
    if (new URL(url).pathname === "/dns-query")
      return Response.json({ Status: 0, Answer: [{ type: 1, data: "93.184.216.34" }] });
    await outside.reach("order: before");
    const headers = JSON.stringify([...new Headers(init.headers)]);
    outside.ordered.push({ url, headers, body: init.body });
    await outside.reach("order: after");
    return Response.json({ ordered: true }, { status: 201 });
  },
});
