/** What a wake of a session is made of, loaded with the first one of an isolate (pdf.ts says why it lies here). */
export const loadWake = () => import("./wake.mjs");
