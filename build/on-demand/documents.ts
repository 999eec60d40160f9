/** Readers of HTML, PDF and office files; src/cli/start/build-modules.ts makes build/modules/documents.mjs of them. */
export { checkFile, readFileText } from "../../src/cairn/documents/file-text.ts";
export { readMarkup } from "../../src/cairn/documents/markup.ts";
export { htmlIn, readPage } from "../../src/cairn/documents/page.ts";
