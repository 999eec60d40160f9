/** The code of a wake of a session, loaded with the first wake of an isolate (pdf.ts says why it lies here). */
export const loadWake = () => import("./wake.mjs");
