import type { Plugin } from "../../cairn/plugin.ts";
import { mountMcp } from "./mcp-route.ts";
import { mountAssistants } from "./oauth/assistants.ts";
import { mountOAuth } from "./oauth/oauth-routes.ts";

/**
 * Cairn as a server of the Model Context Protocol at `/mcp`: runs as tasks, and reading tools. With OAuth at `/oauth`
 * people allow their assistants to use it. It has no settings; its records are in `oauth_records`.
 */
export const mcpServer = (): Plugin => ({
  name: "mcp-server",
  routes: ({ api, authenticator, rateLimit }, deps) => {
    for (const path of ["/mcp", "/oauth/*"])
      api.use(path, async (c, next) => {
        await next();
        // The answers depend on who asks.
        if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
      });
    mountMcp(api, deps, { authenticator, rateLimit });
    mountOAuth(api, deps, { authenticator, rateLimit });
    mountAssistants(api, deps);
  },
});
