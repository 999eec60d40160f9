import * as z from "zod";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Verb } from "../../../src/cairn/core/log/tool.ts";
import { definePack, defineTool, ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";
import { CLAIM_TOOLS, type ClaimCall } from "./format.ts";

/** Tools of a small site, whose fate is what a case says. */

type Name = ClaimCall["tool"];

interface Declared {
  readonly title: string;
  readonly effect: "read" | "keyed" | "once";
  readonly verbs: readonly Verb[];
}

const DECLARED: Readonly<Record<Name, Declared>> = {
  page_list: { title: "List pages", effect: "read", verbs: [] },
  page_get: { title: "Read a page", effect: "read", verbs: [] },
  weather_get: { title: "Look up the weather", effect: "read", verbs: [] },
  page_create: { title: "Create a page", effect: "keyed", verbs: ["create"] },
  section_update: { title: "Change a section", effect: "keyed", verbs: ["update"] },
  set_status: { title: "Publish or unpublish", effect: "keyed", verbs: ["publish", "unpublish"] },
  page_delete: { title: "Delete a page", effect: "keyed", verbs: ["delete"] },
  nav_add: { title: "Add to the navigation", effect: "keyed", verbs: ["add"] },
  newsletter_send: { title: "Send a newsletter", effect: "once", verbs: ["send"] },
};

const input = z.strictObject({ name: z.string().min(1), to: z.string().optional() });

/** The tools as one case plays them: each call meets the fate that the case gives it. */
export function claimsPack(calls: readonly ClaimCall[]) {
  return definePack<null, null>({
    name: "site",
    prompts: [],
    services: () => null,
    tools: CLAIM_TOOLS.map((name) => toolOf(name, calls)),
  });
}

function toolOf(name: Name, calls: readonly ClaimCall[]): AnyTool<null> {
  const { title, effect, verbs } = DECLARED[name];
  const own = calls.filter((call) => call.tool === name);
  const fateOf = (about: string): ClaimCall | undefined => own.find((call) => call.name === about);
  return defineTool<null, typeof input, Json>({
    name,
    version: 1,
    title,
    description: title,
    input,
    effect,
    tier: "write",
    approval: own.some(({ status }) => status === "denied") ? "ask" : "never",
    reads: "none",
    verbs: [...verbs],
    entities: ({ name: about }) =>
      effect === "read" || name === "newsletter_send"
        ? []
        : [{ op: OPS[name] ?? "touch", type: "page", id: `p_${about}`, name: about }],
    run: ({ name: about }) => {
      const call = fateOf(about);
      if (call?.status === "error")
        throw new ToolError("conflict", "locked", "It is locked.", { nothingDone: true });
      if (call?.status === "unknown")
        throw new ToolError("network", "cut_off", "The connection was cut off.");
      return Promise.resolve(outputOf(name, about, call?.state));
    },
  });
}

const OPS: Partial<Record<Name, "create" | "delete">> = { page_create: "create", page_delete: "delete" };

function outputOf(name: Name, about: string, state: string | undefined): Json {
  if (name === "page_list")
    return { items: ["Home", "About", "Blog"].map((title) => ({ title, status: "published" })), total: 3 };
  if (name === "page_get")
    return { page: { name: about, status: "published" }, sections: [{ text: "Old." }] };
  if (name === "weather_get") return { place: about, celsius: 14, sky: "light rain" };
  return { ok: true, name: about, ...(state === undefined ? {} : { status: state }) };
}
