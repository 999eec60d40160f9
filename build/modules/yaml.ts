/** The parser of YAML, loaded when a document is written in it (pdf.ts says why it lies here). */
export const loadYaml = () => import("./js-yaml.mjs");
