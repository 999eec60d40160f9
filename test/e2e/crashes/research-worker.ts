import type { OfferContext } from "../../../src/cairn/plugin.ts";
import type { Registry } from "../../../src/cairn/tools/registry.ts";
import app, { Intake, Session as CairnSession } from "../../../src/worker.ts";

/** The project's worker, whose tools reach one server of the test in place of the web. */

export { Intake };

export default app;

type WithWeb = Env & { readonly WEB_STAND_IN: string };

export class Session extends CairnSession {
  protected override createTools(place: OfferContext): Registry {
    const env = place.env as WithWeb;
    const fetcher = (url: string, init: RequestInit): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set("x-asked", url);
      return fetch(env.WEB_STAND_IN, { ...init, headers });
    };
    return super.createTools({ ...place, env: { ...env, fetcher } });
  }
}
