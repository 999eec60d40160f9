/** The parser of JavaScript; src/cli/start/build-modules.ts makes build/modules/acorn.mjs of it. */
export * from "acorn";
