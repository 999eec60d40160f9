import { Think } from "@cloudflare/think";
import { routeAgentRequest } from "agents";

/** The smallest worker of the documentation; the provider is Think's own. */
export class Assistant extends Think<Cloudflare.Env> {
  override getModel(): string {
    return "@cf/moonshotai/kimi-k2.7-code";
  }
}

export default {
  async fetch(request: Request, env: Cloudflare.Env): Promise<Response> {
    return (await routeAgentRequest(request, env)) ?? new Response("Not found", { status: 404 });
  },
};
