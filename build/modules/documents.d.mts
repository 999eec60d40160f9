export * from "../on-demand/documents.ts";
