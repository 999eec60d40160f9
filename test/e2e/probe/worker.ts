import type { OfferContext } from "../../../src/cairn/plugin.ts";
import type { Registry } from "../../../src/cairn/tools/registry.ts";
import app, { Intake, Session as CairnSession } from "../../../src/worker.ts";
import { probePack, readEffects, type ProbeEnv } from "./pack.ts";

/** The project's worker, whose sessions have the probing tools too, and a page that shows what these did in D1. */

type WithProbe = Env & ProbeEnv;

export { Intake };

export class Session extends CairnSession {
  protected override createTools(place: OfferContext): Registry {
    return super.createTools(place).add(probePack, place.env as WithProbe);
  }
}

export default {
  fetch: (request, env, context) =>
    new URL(request.url).pathname === "/probe/effects" ? readEffects(env) : app.fetch(request, env, context),
} satisfies ExportedHandler<WithProbe>;
