/** The rehearsal model, loaded when it is asked (pdf.ts says why it lies here). */
export const loadRehearsalModel = () => import("./rehearsal-model.mjs");
