import { definePack } from "../../../cairn/tools/define.ts";
import { SearchCache } from "./run-search.ts";
import { setupOf, type SearchBindings } from "./settings.ts";
import { webSearch, type SearchServices } from "./web-search.ts";

/** Searching the web, by the providers that the deployment has set up. Without one it is not offered. */
export const searchPack = definePack<SearchBindings, SearchServices>({
  name: "search",
  tools: [webSearch],
  prompts: [],
  services: (env) => {
    const read = setupOf(env);
    if (read.ok) return { setup: read.setup, cache: new SearchCache() };
    return read.wanted ? { unavailable: read.why } : { unavailable: read.why, wanted: false };
  },
});
