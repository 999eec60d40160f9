export * from "../beside/acorn.ts";
