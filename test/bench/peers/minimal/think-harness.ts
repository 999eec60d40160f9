import { DurableObject } from "cloudflare:workers";
import { ThinkChat, ThinkHarness } from "agents/harness/think";
import { Lifecycle } from "agents/lifecycle";
import { createAI } from "agents/models/ai-sdk";
import { routeAgentRequest } from "agents/routing";
import { WebSockets } from "agents/websockets";

/** The smallest worker of the documentation that a browser can talk to. */
export class Assistant extends DurableObject<Env> {
  readonly ai = createAI({ binding: this.env.AI });
  readonly harness = new ThinkHarness({ model: this.ai("@cf/moonshotai/kimi-k2.7-code") });
  readonly webSockets = new WebSockets();
  readonly chat = new ThinkChat({ harness: this.harness, webSockets: this.webSockets });
  readonly lifecycle = Lifecycle.install(this).use(this.harness).use(this.webSockets).use(this.chat);
}

export default {
  async fetch(request: Request, env: Cloudflare.Env): Promise<Response> {
    return (await routeAgentRequest(request, env)) ?? new Response("Not found", { status: 404 });
  },
};
