/** The part of the parser of YAML that Cairn uses; src/cli/start/build-modules.ts makes build/modules/js-yaml.mjs of it. */
export { CORE_SCHEMA, load } from "js-yaml";
