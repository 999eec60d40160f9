/** The parser of JavaScript, loaded when code is to be run (pdf.ts says why it lies here). */
export const loadAcorn = () => import("./acorn.mjs");
