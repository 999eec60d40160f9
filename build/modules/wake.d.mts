export * from "../beside/wake.ts";
