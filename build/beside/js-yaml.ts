/** What Cairn uses of the parser of YAML; src/cli/start/build-modules.ts makes build/modules/js-yaml.mjs of it. */
export { CORE_SCHEMA, load } from "js-yaml";
