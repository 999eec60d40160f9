import { readArguments, readServerAddress, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run site -- …`. */
export interface SiteOptions {
  readonly url: string;
  readonly token: string | null;
  readonly command:
    | { readonly kind: "export"; readonly file: string; readonly environment: string | null }
    | { readonly kind: "import"; readonly file: string; readonly environment: string | null }
    | {
        readonly kind: "posts";
        readonly folder: string;
        readonly environment: string | null;
        readonly collection: string;
        readonly publish: boolean;
        readonly skipExisting: boolean;
      };
}

export const SITE_USAGE = `npm run site -- export FILE     the site as one file with its images, drafts too
npm run site -- import FILE     imports an exported file as a site
npm run site -- posts DIR       the Markdown files of a folder as posts
  Run it again with the same file or folder to continue after an interruption.
  --environment NAME   export: id of the environment to read (the deployment's own)
                       import: name of the environment to make; left out, the site of the deployment is
                       replaced, if that is still the sample
                       posts: id of the environment to write to (the deployment's own)
  --collection SLUG    posts: the collection they go into (blog)
  --publish            posts: publish those whose front matter says status: published
  --skip-existing      posts: leave out those whose slug is taken
  --url URL            address of Cairn (http://127.0.0.1:8787, or CAIRN_URL)
  --token TOKEN        your token (CAIRN_TOKEN); not needed on this machine
Exit code: 0 done, 1 refused or not reached, 2 wrong use.`;

/** Reads the arguments of `npm run site`; the environment gives what they leave out. */
export function parseSiteOptions(
  argv: readonly string[],
  variables: { readonly [name: string]: string | undefined },
): Parsed<SiteOptions> {
  const read = readArguments(
    argv,
    {
      environment: { type: "string" },
      collection: { type: "string" },
      publish: { type: "boolean" },
      "skip-existing": { type: "boolean" },
      url: { type: "string" },
      token: { type: "string" },
    },
    true,
  );
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  const [kind, path, ...more] = positionals;
  if (path === undefined || path === "" || more.length > 0)
    return usage("It takes export, import or posts, and one file or folder.");
  const server = readServerAddress(values, variables);
  if ("kind" in server) return server;
  const { environment = null } = values;
  const { collection, publish, "skip-existing": skipExisting } = values;
  if (kind === "posts")
    return {
      kind: "options",
      options: {
        ...server,
        command: {
          kind,
          folder: path,
          environment,
          collection: collection ?? "blog",
          publish: publish === true,
          skipExisting: skipExisting === true,
        },
      },
    };
  if (kind !== "export" && kind !== "import")
    return usage(`It takes export, import or posts, not ${JSON.stringify(kind)}.`);
  if (collection !== undefined || publish === true || skipExisting === true)
    return usage("--collection, --publish and --skip-existing are for posts.");
  return { kind: "options", options: { ...server, command: { kind, file: path, environment } } };
}
