export * from "../on-demand/acorn.ts";
