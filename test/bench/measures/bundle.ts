import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { wrangler } from "../../build/wrangler.ts";
import { weighWorker } from "../../build/worker-weight.ts";
import { AGENTS, type Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";

/** Cairn as it is deployed; the peers as small as their documentation makes them. */
const CONFIGS: Partial<Record<Name, string>> = {
  cairn: "wrangler.toml",
  "think-harness": "test/bench/peers/minimal/think-harness.toml",
  "ai-chat": "test/bench/peers/minimal/ai-chat.toml",
  think: "test/bench/peers/minimal/think.toml",
};

/** Code that a cold isolate has to load. */
export const bundle: Measure = {
  id: "bundle",
  title: "Bundle and start-up",
  how:
    "`wrangler deploy --dry-run`, minified and gzipped, without modules loaded on demand; and the active time of `wrangler check startup`. " +
    "Cairn is the sample with every plugin, each peer the smallest worker of its documentation.",
  ahead: "The peers have no site, channels or API. A [project without plugins](deploy.md#update) is smaller.",
  missed: "most of the bundle is Cairn's own code, above all the site, the core and the session.",
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
      return [
        { what: "minified, gzip", unit: "KiB", cells: cellsOf(sizes, (value) => value) },
        { what: "start-up, CPU", unit: "ms", cells: cellsOf(starts, (value) => value) },
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
