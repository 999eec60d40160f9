import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SiteContext } from "../../../src/plugins/cms/renderer/context.ts";
import { createSite, type Render, type SiteParts } from "../../../src/plugins/cms/renderer/routes.ts";
import type { PublishedDocument } from "../../../src/plugins/cms/model/document.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";

/** The seeded site behind its routes, with documents answered as JSON instead of HTML. */

export const NOW = Date.UTC(2026, 10, 21, 12);
export const SECRET = "a-secret-for-tests-only";

/** Input of the templates. */
export interface Shown {
  readonly what: "page" | "list" | "entry" | "not found";
  readonly document?: PublishedDocument;
  readonly [more: string]: unknown;
  readonly context: Omit<SiteContext, "images" | "templates" | "pathOf"> & {
    readonly images: readonly string[];
  };
}

const plain = ({ images, templates: _, pathOf: __, ...context }: SiteContext) => ({
  ...context,
  images: [...images.keys()].toSorted(),
});
const answer = (what: string, more: object, context: SiteContext): Promise<string> =>
  Promise.resolve(JSON.stringify({ what, ...more, context: plain(context) }));

export const asJson: Render = {
  page: (document, context) => answer("page", { document }, context),
  list: (collection, cards, pager, context) => answer("list", { collection, cards, pager }, context),
  entry: (document, collection, context) => answer("entry", { document, collection }, context),
  notFound: (context) => answer("not found", {}, context),
  themeCss: (accent) => `:root { --accent: ${accent ?? "#000000"} }`,
};

export interface Site {
  readonly reported: unknown[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  shown(path: string): Promise<Shown>;
}

export function openSite(parts: Partial<SiteParts> = {}, bindings: Partial<typeof env> = {}): Site {
  const reported: unknown[] = [];
  const site = createSite({
    render: asJson,
    previewSecret: SECRET,
    version: "1",
    now: () => NOW,
    seed: ensureSeeded,
    report: (error) => reported.push(error),
    ...parts,
  });
  const fetch = async (path: string, init?: RequestInit): Promise<Response> =>
    site.fetch(
      new Request(`https://walks.example${path}`, init),
      { ...env, ...bindings },
      createExecutionContext(),
    );
  return { reported, fetch, shown: async (path) => (await fetch(path)).json() };
}

export const labels = (links: readonly { readonly label: string }[]): string[] =>
  links.map((one) => one.label);
