import { AGENT_FIELD_DESCRIPTIONS } from "../../src/cairn/http/agents/field-docs.ts";
import { describeRoutes } from "../../src/cairn/http/kit/openapi-document.ts";
import type { Documented } from "../../src/cairn/http/kit/route.ts";
import { RUN_FIELD_DESCRIPTIONS } from "../../src/cairn/protocol/run-spec/field-docs.ts";

/** OpenAPI documents, written and read; src/cli/start/build-modules.ts makes build/modules/openapi.mjs of it. */
export { importOpenApi } from "../../src/cairn/tools/stored/openapi.ts";

/** An OpenAPI 3.1 document of these routes. */
export const describe = (routes: readonly Documented[], version: string) =>
  describeRoutes(routes, version, { run: RUN_FIELD_DESCRIPTIONS, agent: AGENT_FIELD_DESCRIPTIONS });
