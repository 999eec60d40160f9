/** Declarations of the corpus's tools. A test compares those of the CMS with the real declarations. */

interface Declared {
  readonly title: string;
  readonly effect: "read" | "keyed" | "once";
  readonly verbs: readonly string[];
}

const read = (title: string): Declared => ({ title, effect: "read", verbs: [] });
const keyed = (title: string, ...verbs: string[]): Declared => ({ title, effect: "keyed", verbs });

export const CMS_TOOLS = {
  page_list: read("List pages"),
  page_get: read("Read a page"),
  entry_list: read("List entries"),
  find: read("Search the site"),
  image_search: read("Search images"),
  page_create: keyed("Create a page", "create", "add", "attach"),
  page_update: keyed("Edit page properties", "update", "rename"),
  page_delete: keyed("Delete pages", "delete"),
  section_add: keyed("Add a section", "add", "create"),
  section_update: keyed("Edit a section", "update", "remove"),
  section_move: keyed("Move a section", "move"),
  section_delete: keyed("Delete sections", "delete", "remove"),
  set_status: keyed("Publish or unpublish", "publish", "unpublish", "archive"),
  nav_edit: keyed("Edit the navigation", "add", "remove", "move", "rename", "update"),
  image_attach: keyed("Attach an image", "attach", "update"),
} as const satisfies Record<string, Declared>;

/** Tools that a deployment adds: the only ones here whose outcome may stay unknown, and one that answers with a number. */
export const OWN_TOOLS = {
  reading_time: read("Reading time"),
  newsletter_send: { title: "Send the newsletter", effect: "once", verbs: ["send"] },
  order_place: { title: "Place an order", effect: "once", verbs: ["create"] },
} as const satisfies Record<string, Declared>;

export const TOOLS = { ...CMS_TOOLS, ...OWN_TOOLS };
export type ToolName = keyof typeof TOOLS;
