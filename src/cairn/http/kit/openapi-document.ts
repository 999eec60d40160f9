import { ownValue } from "../../core/log/json.ts";
import * as z from "zod";
import { answers } from "../../protocol/api.ts";
import type { Documented, FieldDescriptions, OwnAnswer } from "./route.ts";

/** The OpenAPI document of the routes. Loaded on demand (openapi.ts): few ask for it, and it has a schema for each answer. */

type Schema = { [name: string]: unknown };

/** An OpenAPI 3.1 document of these routes. */
export function describeRoutes(
  routes: readonly Documented[],
  version: string,
  fields: FieldDescriptions,
): Schema {
  const paths: { [path: string]: Schema } = {};
  const schemas: Schema = {};
  for (const [name, schema] of Object.entries(answers())) schemas[name] = schemaOf(schema, "output", schemas);
  for (const { answers: given } of routes)
    for (const of of Object.values(given))
      if (isOwn(of) && !Object.hasOwn(schemas, of.name))
        schemas[of.name] = schemaOf(of.schema(), "output", schemas);
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...ownValue(paths, path), [route.verb.toLowerCase()]: operation(route, schemas, fields) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cairn",
      version,
      description: "Durable agent runs: sessions, messages, events, approvals.",
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas,
    },
  };
}

/** `schemas` gets what the body's schema refers to. */
function operation(
  { path, scopes, verb, ...doc }: Documented,
  schemas: Schema,
  fields: FieldDescriptions,
): Schema {
  const described = doc.bodyFields === undefined ? {} : fields[doc.bodyFields];
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = Object.entries(doc.query ?? {}).map(([name, description]) => ({
    name,
    in: "query",
    description,
    schema: { type: "string" },
  }));
  const inHeader = [...(doc.headers ?? []), ...(verb === "POST" ? ["Idempotency-Key"] : [])].map((name) => ({
    name,
    in: "header",
    schema: { type: "string" },
  }));
  return {
    operationId: doc.id ?? operationId(verb, path),
    summary: doc.summary,
    ...(scopes.length === 0 ? {} : { description: `Scope: ${scopes.join(" or ")}.` }),
    parameters: [...inPath, ...inQuery, ...inHeader],
    ...(doc.body === undefined
      ? {}
      : {
          requestBody: {
            required: !doc.body.safeParse({}).success,
            content: {
              [doc.bodyType ?? "application/json"]: {
                schema: withDescriptions(schemaOf(doc.body, "input", schemas), described),
              },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(Object.entries(doc.answers).map(([status, of]) => [status, response(of)])),
      default: response("Error"),
    },
  };
}

function withDescriptions(schema: Schema, descriptions: { readonly [field: string]: string }): Schema {
  const { properties = {} } = schema as { readonly properties?: { readonly [name: string]: Schema } };
  const described = Object.entries(properties).map(([name, property]) => {
    const description = ownValue(descriptions, name);
    return [name, description === undefined ? property : { ...property, description }];
  });
  return described.length === 0 ? schema : { ...schema, properties: Object.fromEntries(described) };
}

const isOwn = (of: Documented["answers"][number]): of is OwnAnswer => typeof of === "object" && of !== null;

function response(of: Documented["answers"][number]): Schema {
  if (of === null) return { description: "Nothing more to say." };
  if (of === "stream")
    return {
      description: "Server-sent events.",
      content: { "text/event-stream": { schema: { type: "string" } } },
    };
  if (of === "tar")
    return {
      description: "A tar file.",
      content: { "application/x-tar": { schema: { type: "string", format: "binary" } } },
    };
  const name = isOwn(of) ? of.name : of;
  return {
    description: name,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

/** The name of a method in a client made of the document: of `POST /api/sessions/:id/fork` it is `postSessionFork`. */
function operationId(verb: string, path: string): string {
  const one = path
    .replace(/^\/api/, "")
    .replaceAll(/ies\/:\w+/g, "y")
    .replaceAll(/s?\/:\w+/g, "");
  return verb.toLowerCase() + one.replaceAll(/[/-](\w)/g, (_, first: string) => first.toUpperCase());
}

/** Converts a schema to OpenAPI: nested definitions go to the common schemas, under their names. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Schema): Schema {
  const made = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: "any" }));
  const lifted = JSON.parse(made.replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;
  const { $schema: _schema, $defs, ...rest } = lifted;
  Object.assign(schemas, $defs);
  return rest;
}
