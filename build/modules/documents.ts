/** Readers of HTML, PDF and office files, loaded when a file or a page is read (pdf.ts says why it lies here). */
export const loadDocuments = () => import("./documents.mjs");
