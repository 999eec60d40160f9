import type { Hono } from "hono";
import * as z from "zod";
import { ANSWERS } from "../wire/api.ts";
import type { Documented } from "./route.ts";
import { documentedOf, notThisMethod, type HttpEnv } from "./route.ts";

/** `GET /api/openapi.json`: what the routes say of themselves, with the very schemas that parse their bodies. Public: it holds no data. */

type Schema = { [name: string]: unknown };

export function mountOpenApi(app: Hono<HttpEnv>, { version }: { readonly version: string }): void {
  let text: string | null = null;
  app.get("/api/openapi.json", () => {
    // Made once: turning zod into JSON Schema costs milliseconds.
    text ??= JSON.stringify(describe(documentedOf(app), version));
    return new Response(text, { headers: { "content-type": "application/json" } });
  });
  app.all("/api/openapi.json", (c) => notThisMethod(c, ["GET"]));
}

/** An OpenAPI 3.1 document of these routes. */
export function describe(routes: readonly Documented[], version: string): Schema {
  const paths: { [path: string]: Schema } = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.verb.toLowerCase()] = operation(route);
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
      schemas: Object.fromEntries(
        Object.entries(ANSWERS).map(([name, schema]) => [name, schemaOf(schema, "output")]),
      ),
    },
  };
}

function operation({ path, scopes, verb, doc }: Documented): Schema {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = Object.entries(doc.query ?? {}).map(([name, description]) => ({
    ...{ name, in: "query", description, schema: { type: "string" } },
  }));
  const inHeader = [...(doc.headers ?? []), ...(verb === "POST" ? ["Idempotency-Key"] : [])].map((name) => ({
    ...{ name, in: "header", schema: { type: "string" } },
  }));
  return {
    summary: doc.summary,
    ...(scopes.length === 0 ? {} : { description: `Scope: ${scopes.join(" or ")}.` }),
    parameters: [...inPath, ...inQuery, ...inHeader],
    ...(doc.body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: schemaOf(doc.body, "input") } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(doc.answers).map(([status, of]) => [status, response(of)])),
      default: response("Error"),
    },
  };
}

function response(of: Documented["doc"]["answers"][number]): Schema {
  if (of === null) return { description: "Nothing more to say." };
  if (of === "stream")
    return {
      description: "Server-sent events.",
      content: { "text/event-stream": { schema: { type: "string" } } },
    };
  return {
    description: of,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${of}` } } },
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;
  return rest;
}
