import * as z from "zod";
import { isListedName, type ListedNames } from "../core/guards/named-tools.ts";
import { FRESH_MS, OBSERVATION_CHARS_MAX, TOOL_TIMEOUT_MS } from "../core/limits.ts";
import type { ClientTool } from "../core/log/client-tool.ts";
import { digestOf } from "../core/log/digest.ts";
import { toJson } from "../core/log/json.ts";
import { isReserved } from "../core/log/names.ts";
import type { Preview, ToolCard } from "../core/log/tool.ts";
import { NO_SHAPE } from "../core/state/call-digest.ts";
import { checkable } from "../core/log/checkable-schema.ts";
import { removeHidden } from "../core/text/untrusted.ts";
import { plainPreview, titleOf } from "./define.ts";
import { fieldNamesOf } from "./input/field-names.ts";
import { offeredSchema } from "./input/offer.ts";

/**
 * Tools that the client of a run brings and runs: what the loop knows of each. They get the guards of a tool that changes
 * things outside of the deployment: no guest and no run without a person has them, a second run is never made, what they
 * answer is content from outside, and the rule of two holds for their calls.
 */

/** No pack of a deployment can have this name: it is in no list of tools. */
export const CLIENT_PACK = "client";

const OFFERED = "Runs at the person's client, which describes it so:";

const CARDS = new WeakMap<ClientTool, ToolCard>();
const INPUTS = new WeakMap<ClientTool, z.ZodType>();

export function clientCard(tool: ClientTool): ToolCard {
  const known = CARDS.get(tool);
  if (known !== undefined) return known;
  const { name, inputSchema } = tool;
  const description = removeHidden(tool.description).trim();
  const card: ToolCard = {
    name,
    // The grant of the run holds it.
    version: Number.parseInt(
      digestOf(toJson(tool))
        .replace(/^sha256:/, "")
        .slice(0, 13),
      16,
    ),
    title: clientTitle(name),
    description: description === "" ? "Runs at the person's client." : `${OFFERED} ${description}`,
    effect: "once",
    gate: "never",
    client: true,
    tier: "write",
    reads: "outside",
    reach: "external",
    public: false,
    traits: {
      tool: name,
      effect: "once",
      kind: "work",
      polling: null,
      repeatable: true,
      freshMs: FRESH_MS,
      maxCalls: null,
    },
    shape: NO_SHAPE,
    inputSchema: offeredSchema(inputSchema) ?? inputSchema,
    pack: CLIENT_PACK,
    timeoutMs: TOOL_TIMEOUT_MS,
    observationMax: OBSERVATION_CHARS_MAX,
  };
  CARDS.set(tool, card);
  return card;
}

/** `getLocation`, `get_location` and `get-location` → `Get location` */
const clientTitle = (name: string): string =>
  titleOf(
    name
      .replaceAll(/[-_]+/g, "_")
      .replaceAll(
        /([a-z0-9])([A-Z])/g,
        (_, before: string, after: string) => `${before}_${after.toLowerCase()}`,
      ),
  );

/**
 * Returns the check of the arguments, by the client's schema. A separate registry, so that it leaves nothing behind.
 */
export function clientInput(tool: ClientTool): z.ZodType {
  const known = INPUTS.get(tool);
  if (known !== undefined) return known;
  const made = z.fromJSONSchema(checkable(tool.inputSchema), { registry: z.registry() });
  INPUTS.set(tool, made);
  return made;
}

export function clientPreview({ name, title }: ToolCard): Preview {
  const reason = `${title} asks every time.`;
  const preview = plainPreview(title, { kind: "ask", reason });
  return {
    ...preview,
    impact: [...preview.impact, `${name} runs at the client that brought it, not in this deployment.`],
  };
}

/** Why a run cannot bring this tool, or null. `taken`: names of tools here, offered or not. */
export function clientToolFault(
  tool: ClientTool,
  taken: ReadonlySet<string>,
  listed: readonly ListedNames[],
): string | null {
  const { name, inputSchema } = tool;
  if (taken.has(name)) return `This deployment has a tool ${name}: give the client's another name.`;
  if (isReserved(name) || isListedName(name, listed)) return `The name ${name} is reserved.`;
  const offered = offeredSchema(inputSchema);
  if (offered === null) return "Its parameters have no form that a model can be offered.";
  if (fieldNamesOf(offered) !== null) return "Names of its parameters are 1 to 64 of A-Z a-z 0-9 _ . -.";
  return null;
}
