export * from "../on-demand/message-markdown.ts";
