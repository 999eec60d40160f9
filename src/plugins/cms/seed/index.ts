import { digestOf } from "../../../cairn/core/log/digest.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { fail } from "../model/errors.ts";
import type { CmsBindings } from "../model/types.ts";
import type { Operation } from "../model/types.ts";
import { classify, operationStatements } from "../storage/commit.ts";
import { seedStatements, putImages, type SeedServices } from "./seed-rows.ts";
import { cmsSettings } from "../settings.ts";
import { planSeed } from "./plan.ts";
import { loadSample } from "./sample.ts";

/**
 * The site of a new deployment. Invariant: it exists completely or not at all, and is never seeded again, because the
 * operation `seed:v1` is stored forever.
 */

const KEY = "seed:v1";

async function hasSite({ db }: { readonly db: D1Database }): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM sites LIMIT 1").first()) !== null;
}

/**
 * Writes the seeded site, images first, then all rows in one batch. `now` in ms. Answers `seeded: false`, having written
 * no row, when there is a site or another run was faster. Throws when storage fails; a repeat is safe.
 */
export async function seed(services: SeedServices, now: number): Promise<{ seeded: boolean }> {
  if (await hasSite(services)) return { seeded: false };
  const operation: Operation = {
    key: KEY,
    tool: "seed",
    argsDigest: digestOf({ tool: "seed", input: { version: 1 } }),
    actor: services.actor ?? "system:seed",
    session: null,
    run: null,
    approval: null,
    at: now,
  };
  const sample = await loadSample(services.assets);
  const plan = planSeed(sample, services.env, KEY, now);
  // Bytes before rows: a crash in between leaves objects that the next run writes again, never an image without bytes.
  await putImages(services, sample);
  try {
    await services.db.batch([
      ...seedStatements(services, sample, now),
      ...operationStatements(services, operation, plan),
    ]);
    return { seeded: true };
  } catch (error) {
    if (classify(error) === "duplicate_key") return { seeded: false };
    throw error;
  }
}

// Only the outcome is remembered, never the promise: one request must not wait for the I/O of another, which may be cut.
let ready = new WeakSet<D1Database>();

/** Looks again at every database: after its rows were wiped under a living isolate, as tests do. */
export function forgetSeeded(): void {
  ready = new WeakSet();
}

/**
 * Ensures that the tools can work: the site is seeded, and the run's environment exists. Refuses `not_found` for one
 * that was deleted after its run was accepted.
 */
export async function ensureReady(bindings: CmsBindings, now: number): Promise<void> {
  await ensureSeeded(bindings, now);
  const { DB: db, environment } = bindings;
  if (db === undefined || environment === undefined) return;
  if (
    (await db
      .prepare("SELECT 1 FROM environments WHERE id=?1 AND import_id IS NULL")
      .bind(environment)
      .first()) !== null
  )
    return;
  throw fail("not_found", "The environment that this run works on does not exist any more.", {
    hint: "Say so, and end the run: another one has to be started for another environment.",
  });
}

/**
 * Seeds a deployment that has no site yet, unless `CMS_AUTOSEED` is 0 or a binding is missing. Free after the first
 * success in an isolate; a failure is thrown and tried again by the next call.
 */
export async function ensureSeeded(
  env: CmsBindings & { readonly CMS_AUTOSEED?: unknown },
  now: number,
): Promise<void> {
  const { DB: db, MEDIA: media, ASSETS: assets } = env;
  if (db === undefined || ready.has(db)) return;
  const { autoseed } = cmsSettings({ ...env }, () => undefined);
  if (!autoseed) return;
  if (assets === undefined)
    throw new Error("The binding ASSETS is missing in wrangler.toml: the sample site needs it.");
  await seed({ db, media: media ?? null, assets, env: OWN_ENVIRONMENT, actor: "system:seed" }, now);
  ready.add(db);
}
