export * from "../beside/message-markdown.ts";
