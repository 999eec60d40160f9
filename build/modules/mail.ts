/** Encoded words and address lists of mails, loaded when the first one arrives (pdf.ts says why it lies here). */
export const loadMailWords = async () => {
  const { addressParser, decodeWords } = await import("./postal-mime.mjs");
  return { addressParser, decodeWords };
};
