export * from "../beside/plain-words.ts";
