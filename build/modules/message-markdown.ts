/** The reader of Markdown for chats, loaded with the first message that is written in it (pdf.ts says why it lies here). */
export const loadMessageMarkdown = () => import("./message-markdown.mjs");
