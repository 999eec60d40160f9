/** The part of the reader of mails that Cairn uses; src/cli/start/build-modules.ts makes build/modules/postal-mime.mjs of it. */
export { addressParser, decodeWords } from "postal-mime";
