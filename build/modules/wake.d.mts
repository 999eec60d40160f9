export * from "../on-demand/wake.ts";
