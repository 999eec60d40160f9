export * from "../on-demand/plain-words.ts";
