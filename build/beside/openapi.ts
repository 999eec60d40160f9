/** OpenAPI documents, written and read; src/cli/start/build-modules.ts makes build/modules/openapi.mjs of it. */
export { describe } from "../../src/cairn/http/kit/openapi-document.ts";
export { importOpenApi } from "../../src/cairn/tools/stored/openapi.ts";
