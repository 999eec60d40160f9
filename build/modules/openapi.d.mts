export * from "../on-demand/openapi.ts";
