import type { Hono } from "hono";
import { loadOpenApi } from "../../../../build/modules/openapi.ts";
import { documentedOf, notThisMethod, type HttpEnv } from "./route.ts";

/**
 * `GET /api/openapi.json`: generated from the descriptions of the routes and the schemas that parse their bodies.
 * Public: it contains no data.
 */
export function mountOpenApi(app: Hono<HttpEnv>, { version }: { readonly version: string }): void {
  let text: string | null = null;
  app.get("/api/openapi.json", async () => {
    const { describe } = await loadOpenApi();
    // Made once: turning zod into JSON Schema costs milliseconds.
    text ??= JSON.stringify(describe(documentedOf(app), version));
    return new Response(text, { headers: { "content-type": "application/json" } });
  });
  app.all("/api/openapi.json", (c) => notThisMethod(c, ["GET"]));
}
