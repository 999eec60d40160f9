/** The code that writes and reads OpenAPI documents, loaded when one is asked for or sent (pdf.ts says why it lies here). */
export const loadOpenApi = () => import("./openapi.mjs");
