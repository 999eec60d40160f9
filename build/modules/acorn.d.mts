export * from "acorn";
