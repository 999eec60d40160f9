import * as z from "zod";
import { RUN_AGENT } from "../core/family/ask.ts";
import { FRESH_MS, OBSERVATION_CHARS_MAX, TOOL_TIMEOUT_MS } from "../core/limits.ts";
import type { ApprovalRules } from "../core/log/approval.ts";
import { isObject, type Json, type JsonObject, ownValue } from "../core/log/json.ts";
import type { ToolOffer } from "../core/log/model.ts";
import type { Gate, Tier, ToolCard, ToolTraits } from "../core/log/tool.ts";
import { NO_SHAPE } from "../core/state/call-digest.ts";
import type { AnyTool } from "./define.ts";
import { offeredSchema } from "./input/offer.ts";

/** Cards are made once per tool: turning zod into JSON Schema costs milliseconds. */
const CARDS = new WeakMap<AnyTool<unknown>, ToolCard>();

/** Returns the loop's card of a declared tool. */
export function cardOf(tool: AnyTool<unknown>, pack: string, isOnDemand = false): ToolCard {
  const known = CARDS.get(tool);
  if (known !== undefined) return known;
  const { definition } = tool;
  const { name, version, title, description, effect, tier, approval, approvals, input } = definition;
  const { reads, reach, timeoutMs, observationMax } = definition;
  const inputSchema = definition.inputSchema ?? schemaOf(input);
  const card: ToolCard = {
    name,
    version,
    title,
    description,
    effect,
    tier,
    gate: gateUnder(approval ?? gateOf(tier), approvals),
    ...(approvals === undefined ? {} : { approvals }),
    reads: reads ?? (REACHES_OUT.has(tier) ? "outside" : "private"),
    reach: reach ?? (REACHES_OUT.has(tier) ? "external" : "none"),
    public: definition.public ?? false,
    ...(definition.later === undefined ? {} : { later: definition.later }),
    traits: traitsOf(definition),
    shape: { ...NO_SHAPE, query: searchField(inputSchema), ...definition.shape },
    inputSchema,
    ...(definition.argsSchema === undefined ? {} : { argsSchema: definition.argsSchema }),
    pack,
    ...(name === RUN_AGENT ? ({ starts: true } as const) : {}),
    ...(definition.keepWhole === undefined ? {} : { keepWhole: definition.keepWhole }),
    ...(definition.lean === undefined ? {} : { lean: definition.lean }),
    ...(isOnDemand ? ({ onDemand: true } as const) : {}),
    timeoutMs: timeoutMs ?? TOOL_TIMEOUT_MS,
    observationMax: observationMax ?? OBSERVATION_CHARS_MAX,
  };
  CARDS.set(tool, card);
  return card;
}

/**
 * Returns the JSON Schema of a tool's input, without keywords that tell a model nothing: it is sent with every call.
 */
export function schemaOf(input: z.ZodType): JsonObject {
  const { $schema: _schema, $defs = {}, ...schema } = z.toJSONSchema(input, { io: "input" }) as JsonObject;
  const defined = isObject($defs) ? Object.entries($defs) : [];
  // The schema of any JSON value refers to itself; an empty schema is equivalent.
  const anything = defined.flatMap(([name, one]) => (isAnyJson(one, name) ? [`#/$defs/${name}`] : []));
  const others = defined.filter(([name]) => !anything.includes(`#/$defs/${name}`));
  const whole = others.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(others) };
  return leanSchema(whole, anything);
}

const isAnyJson = (schema: Json, name: string): boolean =>
  isObject(schema) &&
  Array.isArray(schema["anyOf"]) &&
  JSON.stringify(schema["anyOf"]).includes(`"items":{"$ref":"#/$defs/${name}"}`) &&
  schema["anyOf"].length === JSON_TYPES;

/** string, number, boolean, null, array, object */
const JSON_TYPES = 6;

function leanSchema(schema: JsonObject, anything: readonly string[]): JsonObject {
  if (typeof schema["$ref"] === "string" && anything.includes(schema["$ref"])) return {};
  const lean = (value: Json): Json =>
    Array.isArray(value) ? value.map(lean) : isObject(value) ? leanSchema(value, anything) : value;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      if (ownValue(SAYS_NOTHING, key)?.(value, schema) === true) return [];
      if (VALUES.has(key)) return [[key, value]];
      // The keys below are names of fields, not keywords.
      if (NAMED.has(key) && isObject(value))
        return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, lean(one)]))]];
      return [[key, lean(value)]];
    }),
  );
}

const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs"]);

/** Keywords that only repeat their neighbors, or properties of every number and name. */
const SAYS_NOTHING: Readonly<Record<string, (value: Json, schema: JsonObject) => boolean>> = {
  maximum: (value) => value === Number.MAX_SAFE_INTEGER,
  minimum: (value) => value === Number.MIN_SAFE_INTEGER,
  propertyNames: (value) => JSON.stringify(value) === '{"type":"string"}',
  pattern: (_value, { format }) => format !== undefined,
};

/** Returns the default search argument of a tool: its field `query` or `q`. */
function searchField({ properties }: JsonObject): string | null {
  return ["query", "q"].find((name) => isObject(properties) && name in properties) ?? null;
}

function traitsOf(definition: AnyTool<unknown>["definition"]): ToolTraits {
  const { name, effect, kind, polling, repeatable, freshMs, maxCalls } = definition;
  const { perStep, perMinute, cooldownMs, verbs } = definition;
  return {
    tool: name,
    effect,
    kind: kind ?? "work",
    polling: polling ?? null,
    repeatable: repeatable ?? false,
    freshMs: freshMs ?? FRESH_MS,
    maxCalls: maxCalls ?? null,
    ...(perStep === undefined ? {} : { perStep }),
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(cooldownMs === undefined ? {} : { cooldownMs }),
    ...(verbs === undefined ? {} : { verbs }),
  };
}

/** Tiers whose tools reach outside unless they declare otherwise. */
const REACHES_OUT: ReadonlySet<Tier> = new Set(["external", "danger"]);

/** Returns the default gate of a tier. */
export function gateOf(tier: Tier): Gate {
  return tier === "open" || tier === "write" ? "never" : "ask";
}

/** Returns the gate under approval rules: a tool with rules asks a person, unless it is denied. */
function gateUnder(gate: Gate, approvals: ApprovalRules | undefined): Gate {
  if (approvals === undefined || gate === "deny") return gate;
  return gate === "never" || approvals.alwaysAsk === true ? "ask" : gate;
}

/** Returns the card under the rules of a deployment, which take precedence over the tool's. */
export function withApprovals(card: ToolCard, rules: ApprovalRules): ToolCard {
  const approvals = { ...card.approvals, ...rules };
  return { ...card, approvals, gate: gateUnder(card.gate, approvals) };
}

/** Model-facing part of each card. Cached, so that its measured size can be cached too. */
const OFFERS = new WeakMap<ToolCard, ToolOffer>();

export function offerOf(card: ToolCard): ToolOffer {
  const known = OFFERS.get(card);
  if (known !== undefined) return known;
  const { name, description, inputSchema } = card;
  const offer = { name, description, inputSchema: offeredForm(inputSchema) };
  OFFERS.set(card, offer);
  return offer;
}

/** Copies of a card have one schema. */
const FORMS = new WeakMap<JsonObject, JsonObject>();

/** The schema as every provider accepts it, and itself where it has no such form. */
function offeredForm(schema: JsonObject): JsonObject {
  const known = FORMS.get(schema);
  if (known !== undefined) return known;
  const made = offeredSchema(schema) ?? schema;
  FORMS.set(schema, made);
  return made;
}
