/** What one call of a model is made of, loaded at the first call of an isolate (pdf.ts says why it lies here). */
export const loadModelStep = () => import("./model-step.mjs");
