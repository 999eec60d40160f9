import { paint } from "../chat/screen/ansi.ts";
import { runCommand } from "../start/start-options.ts";
import { createSiteClient, Stopped } from "./client.ts";
import { exportSite } from "./export-site.ts";
import { importSite } from "./import-site.ts";
import { importPosts } from "./posts.ts";
import { parseSiteOptions, SITE_USAGE, type SiteOptions } from "./options.ts";

/** `npm run site`: a site into a file and out of one, and Markdown files as posts. */

// Names and titles are from outside: nothing in them may steer the terminal.
const safe = (text: string): string => paint([{ tone: "plain", text }], false);

async function run({ command: wish, ...to }: SiteOptions): Promise<number> {
  const client = createSiteClient(to);
  const print = (line: string): void => console.log(safe(line));
  try {
    if (wish.kind === "export") await exportSite(client, wish, print);
    else if (wish.kind === "import") await importSite(client, wish, print);
    else await importPosts(client, wish, print);
    return 0;
  } catch (error) {
    const isKnown = error instanceof Stopped || (error instanceof Error && "code" in error);
    if (!isKnown) throw error;
    console.error(safe(error.message));
    return 1;
  }
}

await runCommand(parseSiteOptions(process.argv.slice(2), process.env), SITE_USAGE, run);
