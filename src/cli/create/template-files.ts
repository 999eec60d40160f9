/** Facts of this Cairn that its template is written with. */
export interface TemplateFacts {
  /** where the template is published: `cairn.template` of package.json */
  readonly address: string;
  /** the sentences that the button shows next to each name that it asks for */
  readonly bindings: Readonly<Record<string, { readonly description: string }>>;
  /** `.dev.vars.example`: the secrets that the button asks for */
  readonly secrets: string;
}

/** The button "Deploy to Cloudflare" for a public repository, as Markdown. */
export const deployButton = (address: string): string =>
  `[![Deploy to Cloudflare](https://deploy.workers.cloudflare.com/button)](https://deploy.workers.cloudflare.com/?url=${address})`;

/** A new project as a template of the button "Deploy to Cloudflare". `project`: its files, path → text. */
export function templateFiles(
  project: ReadonlyMap<string, string>,
  { address, bindings, secrets }: TemplateFacts,
): ReadonlyMap<string, string> {
  const config = project.get("wrangler.toml") ?? "";
  const used = Object.entries(bindings).filter(([name]) =>
    new RegExp(`^(?:binding = "${name}"|${name} ?=)`, "m").test(`${config}\n${secrets}`),
  );
  const manifest = JSON.parse(project.get("package.json") ?? "{}") as object;
  const described = { ...manifest, cloudflare: { bindings: Object.fromEntries(used) } };
  const readme = (project.get("README.md") ?? "").replace(/^(# .*\n)/, `$1\n${deployButton(address)}\n`);
  return new Map([
    ...project,
    ["package.json", `${JSON.stringify(described, null, 2)}\n`],
    ["README.md", readme],
    [".dev.vars.example", secrets],
  ]);
}
