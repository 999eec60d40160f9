import { readFileSync } from "node:fs";
import path from "node:path";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { CmsBindings } from "../../../src/plugins/cms/model/types.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";
import type { FakeD1 } from "./d1.ts";

/** A session whose tools are those of the site, on a D1 of the simulation. */

const STATIC = path.resolve(import.meta.dirname, "../../../src/page/public");

/** The static files of a deployment, from the source. */
const ASSETS = {
  fetch: async (request: string | URL | Request) => {
    const { pathname } = new URL(request instanceof Request ? request.url : request);
    return new Response(readFileSync(path.join(STATIC, pathname)));
  },
} as NonNullable<CmsBindings["ASSETS"]>;

/** A bucket that takes what it is given, and has nothing. */
const MEDIA = { put: async () => ({}), get: async () => null, head: async () => null } as unknown as R2Bucket;

const bindingsOf = (db: FakeD1): CmsBindings => ({ DB: db.binding, MEDIA, ASSETS });

/** Writes the sample site. `at`: ms */
export const seedSample = (db: FakeD1, at: number): Promise<void> => ensureSeeded(bindingsOf(db), at);

/** `script`: what its model says, or the model. The site stands already. */
export function siteSession(db: FakeD1, script: ConstructorParameters<typeof FakePlatform>[0]): FakePlatform {
  const platform = new FakePlatform(script);
  const bindings = bindingsOf(db);
  platform.own = (tools) => tools.add(cmsPack, bindings).add(imagesPack, bindings);
  platform.restart();
  return platform;
}

export type { Line, Model };
