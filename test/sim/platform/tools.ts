import * as z from "zod";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Tier } from "../../../src/cairn/core/log/tool.ts";
import { definePack, defineTool, ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";

/** Counts of the effects of one session's tools on the outside. */
export interface Effects {
  readonly keyed: Map<string, number>;
  readonly once: string[];
  reads: number;
  /** searches that their provider has answered, and bills */
  searches: number;
  /** fails the next runs of a tool, by name */
  readonly failures: Map<string, ToolError[]>;
  /** fails every run of a tool, by name */
  readonly broken: Map<string, ToolError>;
  /** called when a tool has begun, before its effect */
  onTool: ((tool: string) => void | Promise<void>) | null;
  cross: (where: string) => void;
  /** what the tool `bulk` answers */
  bulk: string;
  /** what the tools `visit` and `fetch_out` answer: words of strangers */
  outside: string;
  /** ids of the things on a page of the tool `list`; none when left out */
  pages?: (page: number) => readonly string[];
}

async function begin(effects: Effects, tool: string): Promise<void> {
  effects.cross(`${tool}: before`);
  await effects.onTool?.(tool);
  const failure = effects.failures.get(tool)?.shift() ?? effects.broken.get(tool);
  if (failure !== undefined) throw failure;
}

const named = z.strictObject({ name: z.string().min(1) });
/** what a person writes is taken without its blanks */
const trimmed = z.strictObject({ name: z.string().trim().min(1) });
/** a name under which nothing is published, whoever agrees */
export const FORBIDDEN = "forbidden";
const paged = z.strictObject({ page: z.int().positive() });

/** The pack after a deployment that changed the versions of some tools. */
export function packAt(versions: Readonly<Record<string, number>>): typeof simPack {
  const tools = simPack.tools.map((tool) => {
    const version = versions[tool.definition.name];
    return version === undefined ? tool : { definition: { ...tool.definition, version } };
  });
  return { ...simPack, tools };
}

const address = z.strictObject({ url: z.string().regex(/^https?:\/\/[^/?#\s@]+(?:[/?#]\S*)?$/) });

/** A change of such a tier; what the tier says of asking holds. */
function change(name: string, tier: Tier): AnyTool<Effects> {
  return defineTool<Effects, typeof named, Json>({
    name,
    version: 1,
    title: `Do ${tier}`,
    description: `Changes what is ${tier}.`,
    input: named,
    effect: "keyed",
    tier,
    run: async (input, { services, key }) => {
      await begin(services, name);
      services.keyed.set(key, 1);
      return { ok: true, name: input.name };
    },
  });
}

/** One tool of each effect class, one that always asks, some that deal with strangers, and one of each tier above. */
export const simPack = definePack<Effects, Effects>({
  name: "sim",
  prompts: [],
  services: (effects) => effects,
  tools: [
    defineTool<Effects, typeof named, Json>({
      name: "look",
      version: 1,
      title: "Look",
      description: "Reads.",
      input: named,
      effect: "read",
      tier: "open",
      entities: (input) => [{ op: "touch", type: "page", id: input.name, name: input.name }],
      run: async (input, { services }) => {
        await begin(services, "look");
        services.reads++;
        services.cross("look: after");
        return { ok: true, name: input.name };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "bulk",
      version: 1,
      title: "Fetch much",
      description: "Reads a lot.",
      input: named,
      effect: "read",
      tier: "open",
      run: async (_input, { services }) => {
        await begin(services, "bulk");
        return /^[[{]/.test(services.bulk) ? (JSON.parse(services.bulk) as Json) : services.bulk;
      },
    }),
    defineTool<Effects, typeof paged, Json>({
      name: "list",
      version: 1,
      title: "List",
      description: "Reads a page of things.",
      input: paged,
      effect: "read",
      tier: "open",
      shape: { ids: "items[].id" },
      run: async (input, { services }) => {
        await begin(services, "list");
        return { items: (services.pages?.(input.page) ?? []).map((id) => ({ id })) };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "job",
      version: 1,
      title: "Ask a job",
      description: "Says how far a job is.",
      input: named,
      effect: "read",
      tier: "open",
      polling: { minIntervalMs: 5_000, maxPolls: 20 },
      run: async (_input, { services }) => {
        await begin(services, "job");
        return { state: "running" };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "visit",
      version: 1,
      title: "Visit",
      description: "Reads what strangers have written.",
      input: named,
      effect: "read",
      tier: "open",
      reads: "outside",
      costUsd: () => 0.01,
      run: async (input, { services, spend }) => {
        await begin(services, "visit");
        spend(0.004);
        services.cross("visit: after");
        return { ok: true, name: input.name, said: services.outside };
      },
    }),
    defineTool<Effects, typeof address, Json>({
      name: "fetch_out",
      version: 1,
      title: "Fetch",
      description: "Sends a request to an address and reads its answer.",
      input: address,
      effect: "keyed",
      tier: "write",
      reads: "outside",
      reach: "external",
      run: async (_input, { services, key }) => {
        await begin(services, "fetch_out");
        services.keyed.set(key, 1);
        services.cross("fetch_out: after");
        return { ok: true, said: services.outside };
      },
    }),
    change("mail", "external"),
    change("reset", "admin"),
    change("drop", "danger"),
    defineTool<Effects, typeof named, Json>({
      name: "put",
      version: 1,
      title: "Put",
      description: "Writes, once per key.",
      input: named,
      effect: "keyed",
      tier: "write",
      run: async (input, { services, key }) => {
        await begin(services, "put");
        services.keyed.set(key, 1);
        services.cross("put: after");
        return { ok: true, put: input.name };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "send",
      version: 1,
      title: "Send",
      description: "Acts outside, never twice.",
      input: named,
      effect: "once",
      tier: "write",
      run: async (input, { services, call }) => {
        await begin(services, "send");
        services.once.push(call);
        services.cross("send: after");
        return { ok: true, sent: input.name };
      },
    }),
    defineTool<Effects, typeof trimmed, Json>({
      name: "publish",
      version: 1,
      title: "Publish",
      description: "Makes public; a person decides.",
      input: trimmed,
      effect: "keyed",
      tier: "publish",
      preview: async (input, { services }) => {
        services.cross("publish: preview");
        const failure = services.failures.get("publish: preview")?.shift();
        if (failure !== undefined) throw failure;
        await services.onTool?.("publish: preview");
        return {
          need:
            input.name === FORBIDDEN
              ? { kind: "deny", reason: "It may never become public." }
              : { kind: "ask", reason: "It becomes public." },
          title: `Publish ${input.name}`,
          summary: `${input.name} becomes public.`,
          impact: [`/${input.name} answers 200`],
          basis: `basis:${input.name}`,
        };
      },
      run: async (input, { services, key, approved }) => {
        await begin(services, "publish");
        // The publish must match the basis that the approver saw.
        if (approved?.basis !== `basis:${input.name}`)
          throw new ToolError("conflict", "stale", "It is not what was shown.", { nothingDone: true });
        services.keyed.set(key, 1);
        services.cross("publish: after");
        return { ok: true, published: input.name };
      },
    }),
  ],
});

/** A tool that sends the person a message: for platforms that have a channel. */
export const tellPack = definePack<Effects, Effects>({
  name: "tell",
  prompts: [],
  services: (effects) => effects,
  tools: [
    defineTool<Effects, typeof named, Json>({
      name: "tell",
      version: 1,
      title: "Tell",
      description: "Sends a message to the person.",
      input: named,
      effect: "once",
      kind: "send",
      tier: "write",
      run: async (input, { services, call }) => {
        await begin(services, "tell");
        services.once.push(call);
        return { ok: true, told: input.name };
      },
    }),
  ],
});
