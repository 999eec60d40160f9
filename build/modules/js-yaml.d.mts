export * from "../on-demand/js-yaml.ts";
