/** The parser of mails, loaded when the first one arrives (pdf.ts says why it lies here). */
export const loadPostalMime = async () => (await import("./postal-mime/postal-mime.js")).default;
