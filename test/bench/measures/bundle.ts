import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { wrangler } from "../../build/wrangler.ts";
import { AGENTS, type Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { median } from "../numbers.ts";

const GZIP_KIB_MAX = 360;
const START_MS_MAX = 45;

/** Cairn as it is deployed; the peers as small as their documentation makes them. */
const CONFIGS: Partial<Record<Name, string>> = {
  cairn: "wrangler.toml",
  "think-harness": "test/bench/peers/minimal/think-harness.toml",
  "ai-chat": "test/bench/peers/minimal/ai-chat.toml",
  think: "test/bench/peers/minimal/think.toml",
};

/** What a cold isolate has to load. */
export const bundle: Measure = {
  id: "bundle",
  title: "Bundle and start-up",
  how:
    "`wrangler deploy --dry-run`, minified, as gzip; and the active time of `wrangler check startup`, garbage collection included. Cairn is the whole product " +
    "(loop, tools of the site, pages, API, three providers), each peer the smallest worker of its documentation with one provider and its router.",
  ahead:
    "A minimal worker holds no site, no tools and no API; what remains is the AI SDK, which all of them share.",
  missed:
    "Two thirds of the bundle, before compression, are Cairn's own: 19 % are the loop with its guards, 13 % the tools of the site, 9 % the session, 6 % models, 14 % doors, " +
    "wire and site. A third are packages: zod 9 %, the AI SDK's providers 12 %, Markdown 7 %, schedules 3 %. " +
    "Doors that are loaded when first used start 8 ms sooner and make the bundle 10 KiB larger, so they are not.",
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), "cairn-bench-"));
    const configOf = (name: Name): string => CONFIGS[name] ?? "";
    try {
      const sizes = await interleaved(1, AGENTS, async (name) => {
        const said = wrangler(["deploy", "--dry-run", "-c", configOf(name), "--outdir", folder], "log");
        return figureIn(said, /gzip: ([\d.]+) KiB/);
      });
      const starts = await interleaved(ROUNDS, AGENTS, async (name) => {
        const outfile = path.join(folder, `${name}.cpuprofile`);
        const said = wrangler(
          ["check", "startup", `--args=-c ${configOf(name)}`, "--outfile", outfile],
          "log",
        );
        return figureIn(said, /Active: ([\d.]+) ms/);
      });
      const gzip = cellsOf(sizes, (value) => value);
      const start = cellsOf(starts, (value) => value);
      const own = median(start.cairn ?? []);
      return [
        {
          what: "minified, gzip",
          unit: "KiB",
          target: { says: `≤ ${GZIP_KIB_MAX} KiB`, met: median(gzip.cairn ?? []) <= GZIP_KIB_MAX },
          cells: gzip,
        },
        {
          what: "start-up, CPU",
          unit: "ms",
          target: {
            says: `≤ ${START_MS_MAX} ms`,
            met: own <= START_MS_MAX,
          },
          cells: start,
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function figureIn(said: string, pattern: RegExp): number {
  const figure = pattern.exec(said)?.[1];
  if (figure === undefined) throw new Error(`wrangler does not say ${String(pattern)}:\n${said}`);
  return Number(figure);
}
