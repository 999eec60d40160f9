/** A plugin that a new project may begin with, or a vendor of the plugin of channels, and what wrangler.toml needs for it. */
export interface OptionalPlugin {
  /** as `--with` takes it */
  readonly name: string;
  /** behind `cairn/plugins/` */
  readonly module: string;
  /** exported function, called without arguments */
  readonly call: string;
  readonly isVendor?: true;
  readonly needs: readonly Need[];
}

/** Sections of wrangler.toml. */
export type Need = "bucket" | "intake" | "mail" | "cron" | "loader";

export const OPTIONAL_PLUGINS: readonly OptionalPlugin[] = [
  { name: "web", module: "web", call: "web", needs: [] },
  { name: "scholar", module: "scholar", call: "scholar", needs: [] },
  { name: "files", module: "files", call: "files", needs: ["bucket"] },
  { name: "code", module: "code", call: "code", needs: ["loader"] },
  { name: "http-request", module: "http-request", call: "httpRequest", needs: [] },
  { name: "mcp-client", module: "mcp-client", call: "mcpClient", needs: [] },
  { name: "mcp-server", module: "mcp-server", call: "mcpServer", needs: [] },
  { name: "plain-words", module: "plain-words", call: "plainWords", needs: [] },
  { name: "cms", module: "cms", call: "cms", needs: ["bucket", "cron"] },
  { name: "telegram", module: "channels/telegram", call: "telegram", isVendor: true, needs: ["intake"] },
  { name: "slack", module: "channels/slack", call: "slack", isVendor: true, needs: ["intake"] },
  { name: "email", module: "channels/email", call: "email", isVendor: true, needs: ["mail"] },
  { name: "webpush", module: "channels/webpush", call: "webpush", isVendor: true, needs: [] },
];
