export * from "../beside/documents.ts";
