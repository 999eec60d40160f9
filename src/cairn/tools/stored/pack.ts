import * as z from "zod";
import { isObject, toJson, type Json, type JsonObject } from "../../core/log/json.ts";
import { digestOf } from "../../core/log/digest.ts";
import { definePack, defineTool, ToolError, type AnyTool, type Pack } from "../define.ts";
import { fieldNamesOf, renameFields, withRealNames } from "../input/field-names.ts";
import { inputOf } from "../input/schema-input.ts";
import { offeredSchema } from "../input/offer.ts";
import { httpAccessOf, type HttpAccessBindings } from "../requests/access.ts";
import {
  checkRequest,
  linesOf,
  refuseBusy,
  send,
  sendEffect,
  requestAnswer,
  type HttpServices,
} from "../requests/request.ts";
import { readSecrets } from "../requests/secrets.ts";
import { shortListOf } from "../short-list.ts";
import { isRead, type ToolDefinitionData } from "./definition.ts";
import { fillRequest } from "./fill.ts";

/** Tools as data as a session runs them: each is a request that a person can read before it is sent. */

export interface StoredTool {
  readonly name: string;
  readonly definition: ToolDefinitionData;
}

export interface StoredBindings extends HttpAccessBindings {
  readonly HTTP_SECRETS?: unknown;
}

export const STORED_PACK = "stored";

/** The services: an admin has named each address, so the switch of requests to any address does not matter. */
function servicesOf(env: StoredBindings): HttpServices | { readonly unavailable: string } {
  const secrets = readSecrets(env.HTTP_SECRETS);
  if (secrets === null)
    return { unavailable: 'HTTP_SECRETS must be {"NAME":{"value":"…","hosts":["api.example.com"]}}.' };
  const access = httpAccessOf(env);
  return "unavailable" in access ? access : { access, readable: [], secrets };
}

export function storedPack(stored: readonly StoredTool[]): Pack<StoredBindings, HttpServices> {
  const tools = stored.map(storedTool);
  const shortList = shortListOf(tools);
  return definePack<StoredBindings, HttpServices>({
    name: STORED_PACK,
    tools,
    prompts: [],
    ...(shortList === undefined ? {} : { shortList }),
    services: servicesOf,
  });
}

const EMPTY: JsonObject = { type: "object", properties: {} };

export function storedTool({ name, definition }: StoredTool): AnyTool<HttpServices> {
  const { method, url, title, description, inputSchema = EMPTY } = definition;
  const reads = isRead(definition);
  const tier = definition.tier ?? (reads ? "open" : "external");
  const digest = digestOf(toJson(definition));
  const offered = offeredSchema(inputSchema) ?? EMPTY;
  const fields = fieldNamesOf(offered);
  // Next to a union the fields of its parts would be unknown.
  const isPlain = !["allOf", "anyOf", "oneOf", "$ref"].some((key) => key in inputSchema);
  const closed: JsonObject = isPlain ? { additionalProperties: false, ...inputSchema } : inputSchema;
  const requestFrom = (input: unknown) => {
    const json = toJson(input);
    if (!isObject(json)) throw new ToolError("invalid_args", "invalid_input", "The input is no object.");
    return fillRequest(definition, json);
  };
  return defineTool<HttpServices, z.ZodType, Json>({
    name,
    ...(title === undefined ? {} : { title }),
    // The grant of a run holds the version: a call of a tool that was changed meanwhile is refused.
    version: Number.parseInt(digest.replace(/^sha256:/, "").slice(0, 13), 16),
    description: description === undefined || description === "" ? `Sends ${method} to ${url}.` : description,
    input: z.lazy(() => z.preprocess((input) => withRealNames(toJson(input), fields), inputOf(closed))),
    inputSchema: renameFields(offered, fields),
    ...(fields === null ? {} : { argsSchema: offered }),
    effect: definition.effect ?? (reads ? "read" : "once"),
    tier,
    ...(definition.approval === undefined ? {} : { approval: definition.approval }),
    reads: "outside",
    reach: "external",
    repeatable: true,
    ...(reads ? {} : { verbs: ["send"] as const }),
    ...(definition.timeoutMs === undefined ? {} : { timeoutMs: definition.timeoutMs }),
    preview: (input, { services }) => {
      const request = requestFrom(input);
      checkRequest(request, services);
      const { host } = new URL(request.url);
      const { body } = request;
      const ask = { kind: "ask", reason: `It is sent to ${host}, outside of this deployment.` } as const;
      return Promise.resolve({
        need: ask,
        title: `${title ?? name}: ${method} to ${host}`,
        summary: `Sends ${method} to ${request.url}${body === undefined ? " without a body" : ` with ${body.length} characters`}.`,
        impact: [`${method} ${request.url}`, ...linesOf(request), ...(body === undefined ? [] : [body])],
        basis: digest,
      });
    },
    run: async (input, { services, signal, approved }) => {
      if (approved !== null && approved.basis !== null && approved.basis !== digest)
        throw new ToolError("conflict", "tool_changed", "The tool was changed after a person agreed.", {
          nothingDone: true,
        });
      const request = requestFrom(input);
      checkRequest(request, services);
      if (!reads) return toJson(await sendEffect(request, services, signal));
      const response = await send(request, services, signal);
      refuseBusy(response);
      return toJson(requestAnswer(response));
    },
  });
}
