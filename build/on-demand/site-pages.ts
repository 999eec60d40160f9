/** The templates of the site; src/cli/start/build-modules.ts makes build/modules/site-pages.mjs of them. */
export { rendering } from "../../src/plugins/cms/renderer/rendering.ts";
