import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { wrangler } from "../../build/wrangler.ts";
import { WORKER_KIB_MAX, weighWorker } from "../../build/worker-weight.ts";
import { AGENTS, type Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { median } from "../numbers.ts";

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
    "`wrangler deploy --dry-run`, minified, as gzip, without modules that are loaded on demand; and the active time of `wrangler check startup`, garbage collection included. " +
    "Cairn is the sample with every plugin (site, channels, MCP, research, API), each peer the smallest worker of its documentation with one provider and its router.",
  ahead:
    "A minimal worker holds no site, no channels and no API. Without plugins, Cairn's worker is two fifths smaller (docs/deploy.md).",
  missed:
    "Seven eighths of the bundle, before compression, are Cairn's own: 24 % are the site, 18 % the core with its guards, 12 % the session, 7 % channels, 6 % routes. " +
    "zod is 8 %. Readers of files, providers of models and parsers are loaded on demand.",
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), "cairn-bench-"));
    const configOf = (name: Name): string => CONFIGS[name] ?? "";
    try {
      const sizes = await interleaved(1, AGENTS, async (name) => {
        return weighWorker(configOf(name), path.join(folder, name)).worker;
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
          target: { says: `≤ ${WORKER_KIB_MAX} KiB`, met: median(gzip.cairn ?? []) <= WORKER_KIB_MAX },
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
