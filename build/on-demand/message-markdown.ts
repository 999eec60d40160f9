/** Markdown as chats show it; src/cli/start/build-modules.ts makes build/modules/message-markdown.mjs of it. */
export { parseBlocks } from "../../src/plugins/channels/text/read-markdown.ts";
