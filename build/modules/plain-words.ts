/** The word lists, loaded with the code of a wake (pdf.ts says why they lie here). */
export const loadPlainWords = () => import("./plain-words.mjs");
