export * from "../beside/openapi.ts";
