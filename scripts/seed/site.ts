import type { JsonObject } from "../../src/cairn/core/log/json.ts";
import type { NavTarget, SettingKey } from "../../src/plugins/cms/model/types.ts";
import type { SeedNavItem } from "../../src/plugins/cms/seed/sample.ts";

/** The frame of the seeded site: locales, navigation and settings. */

export const SEED_SITE = { id: "site_main", name: "Fern & Fell", environment: "main" } as const;

export const SEED_LOCALES = [
  { code: "en", name: "English", fallback: null, isDefault: true },
  { code: "de", name: "Deutsch", fallback: "en", isDefault: false },
] as const;
export const SEED_DEFAULT_LOCALE = "en";

const page = (id: string): NavTarget => ({ type: "page", id });

export const SEED_NAV: readonly SeedNavItem[] = [
  { id: "nv_header_home", location: "header", label: "Home", target: page("pg_home") },
  { id: "nv_header_about", location: "header", label: "About", target: page("pg_about") },
  {
    id: "nv_header_blog",
    location: "header",
    label: "Blog",
    target: { type: "collection", id: "co_blog" },
    children: [
      {
        id: "nv_header_packing_light",
        location: "header",
        label: "Packing light",
        target: { type: "entry", id: "en_packing_light" },
      },
    ],
  },
  { id: "nv_header_contact", location: "header", label: "Contact", target: page("pg_contact") },
  { id: "nv_footer_about", location: "footer", label: "About", target: page("pg_about") },
  { id: "nv_footer_contact", location: "footer", label: "Contact", target: page("pg_contact") },
];

export const SEED_SETTINGS: Record<Exclude<SettingKey, "social">, JsonObject> = {
  identity: {
    title: "Fern & Fell",
    tagline: "Guided walks in small groups",
    logo: { image: "im_logo" },
  },
  seo: {
    titleTemplate: "%s – Fern & Fell",
    description: "Guided walks over ridges and along rivers, for up to six people at a time.",
    ogImage: { image: "im_ridge" },
  },
  home: { page: "pg_home" },
  theme: { accent: "#2f6b4f" },
};
