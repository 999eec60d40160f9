import type { LifecycleServices } from "agents/lifecycle";
import { WebSockets, type WebSocketsOptions } from "agents/websockets";

/**
 * Hibernating connections, with the RPC of capnweb that the package brings; src/cli/start/build-modules.ts makes
 * build/modules/sockets.mjs of it. `Lifecycle` is a part of the worker, so the services are handed over.
 */
export class LoadedWebSockets extends WebSockets {
  readonly #services: LifecycleServices;

  constructor(services: LifecycleServices, options: WebSocketsOptions) {
    super(options);
    this.#services = services;
  }

  protected override get lifecycleServices(): LifecycleServices {
    return this.#services;
  }
}
