/** A plugin that a new project may begin with, and what wrangler.toml needs for it. */
export interface OptionalPlugin {
  /** as `--with` takes it */
  readonly name: string;
  /** behind `cairn/plugins/` */
  readonly module: string;
  /** exported function, called without arguments */
  readonly call: string;
  readonly needs: readonly ("bucket" | "intake" | "ai" | "mail" | "cron" | "loader")[];
}

export const OPTIONAL_PLUGINS: readonly OptionalPlugin[] = [
  { name: "web", module: "web", call: "web", needs: [] },
  { name: "scholar", module: "scholar", call: "scholar", needs: [] },
  { name: "files", module: "files", call: "files", needs: ["bucket"] },
  { name: "code", module: "code", call: "code", needs: ["loader"] },
  { name: "http-request", module: "http-request", call: "httpRequest", needs: [] },
  { name: "cms", module: "cms", call: "cms", needs: ["bucket", "cron"] },
  { name: "channels", module: "channels", call: "channels", needs: ["intake", "mail"] },
];
