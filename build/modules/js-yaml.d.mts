export * from "../beside/js-yaml.ts";
