import { digestOf } from "../../../../cairn/core/log/digest.ts";
import { minter } from "../../model/ids.ts";
import type { Operation } from "../../model/types.ts";
import { classify, operationStatements } from "../../storage/commit.ts";
import { seedStatements, putImages, type SeedServices } from "../../seed/seed-rows.ts";
import { planSeed } from "../../seed/plan.ts";
import { loadSample, type Sample } from "../../seed/sample.ts";

/** A further environment of a site: an empty site with the locales, the templates, the images and the blog of the sample. */

export interface NewEnvironment {
  readonly siteId: string;
  readonly name: string;
  readonly members: readonly string[];
}

/** The id of an environment is made of its name, so that an agent's file can name it before it is there. */
export const environmentId = (name: string): string => `env_${name}`;

/** Writes it wholly or not at all; `services.env` is its id. `taken`: there is one of this name already. */
export async function createEnvironment(
  services: SeedServices,
  wanted: NewEnvironment,
  by: string,
  now: number,
): Promise<"created" | "taken"> {
  const { db, env } = services;
  const { name, members } = wanted;
  const held = await db
    .prepare("SELECT 1 FROM environments WHERE id=?1 OR (site_id=?2 AND name=?3)")
    .bind(env, wanted.siteId, name)
    .first();
  if (held !== null) return "taken";
  const key = `environment:${env}`;
  const operation: Operation = {
    key,
    tool: "seed",
    argsDigest: digestOf({ tool: "seed", input: { environment: env } }),
    actor: `user:${by}`,
    session: null,
    run: null,
    approval: null,
    at: now,
  };
  const sample = emptySite(await loadSample(services.assets), wanted, key);
  const plan = planSeed(sample, env, key, now);
  await putImages(services, sample);
  try {
    await db.batch([
      ...seedStatements(services, sample, now),
      db.prepare("UPDATE environments SET members=?2 WHERE id=?1").bind(env, JSON.stringify(members)),
      ...operationStatements(services, operation, plan),
    ]);
    return "created";
  } catch (error) {
    if (classify(error) === "duplicate_key") return "taken";
    throw error;
  }
}

/** The sample without its content: a header, a footer and a home page with the name. */
function emptySite(sample: Sample, { siteId, name }: NewEnvironment, key: string): Sample {
  const mint = minter(key);
  const [layout, home] = [mint("pg"), mint("pg")];
  return {
    ...sample,
    site: { ...sample.site, id: siteId, environment: name },
    blog: { ...sample.blog, id: mint("co") },
    images: sample.images.map((one) => ({ ...one, id: mint("im") })),
    pages: [
      {
        id: layout,
        kind: "layout",
        slug: "_layout",
        name: "Layout",
        meta: {},
        sections: [
          { id: mint("sc"), template: "header", en: {} },
          { id: mint("sc"), template: "footer", en: { companyName: name } },
        ],
      },
      {
        id: home,
        kind: "page",
        slug: "home",
        name: "Home",
        meta: { title: name },
        sections: [{ id: mint("sc"), template: "hero", en: { title: name } }],
      },
    ],
    entries: [],
    nav: [],
    settings: {
      ...sample.settings,
      identity: { title: name },
      seo: { titleTemplate: `%s – ${name}` },
      home: { page: home },
    },
  };
}
