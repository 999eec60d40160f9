/** The code of one model call, loaded at the first call of an isolate (pdf.ts says why it lies here). */
export const loadModelStep = () => import("./model-step.mjs");
