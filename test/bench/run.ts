import "./environment.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { PROJECT } from "../../src/cli/places.ts";
import type { Measure } from "./measure.ts";
import { bundle } from "./measures/bundle.ts";
import { channels } from "./measures/channels.ts";
import { cpu } from "./measures/cpu.ts";
import { crowd } from "./measures/crowd.ts";
import { overhead } from "./measures/overhead.ts";
import { portable } from "./measures/portable.ts";
import { reads } from "./measures/reads.ts";
import { recovery } from "./measures/recovery.ts";
import { rows } from "./measures/rows.ts";
import { scale } from "./measures/scale.ts";
import { stream } from "./measures/stream.ts";
import { wake } from "./measures/wake.ts";
import { installPeers, peerVersions, versionsOf } from "./peers.ts";
import { format } from "oxfmt";
import { currentCommit } from "./age.ts";
import {
  putBetween,
  renderReadme,
  renderReport,
  renderTargets,
  type Measured,
  type Results,
  readBetween,
  RESEARCH_QUESTIONS,
  SITE_TASKS,
} from "./report.ts";

/**
 * `npm run bench [-- --only rows,reads]`: measures, and writes results.json, docs/benchmark.md and the five rows of the README.
 * Measures that are left out keep their results, date and commit. `--render` measures nothing and writes the pages again.
 */

const MEASURES: readonly Measure[] = [
  rows,
  reads,
  overhead,
  stream,
  recovery,
  bundle,
  wake,
  cpu,
  crowd,
  scale,
  portable,
  channels,
];
const RESULTS = path.join(import.meta.dirname, "results.json");
const REPORT = path.join(PROJECT, "docs/benchmark.md");
const README = path.join(PROJECT, "README.md");

const { values } = parseArgs({ options: { only: { type: "string" }, render: { type: "boolean" } } });
const asked = values.render === true ? [] : (values.only?.split(",") ?? null);
for (const id of asked ?? []) {
  if (MEASURES.every((measure) => measure.id !== id)) {
    const known = MEASURES.map((measure) => measure.id).join(", ");
    throw new Error(`There is no measure ${id}; there are ${known}.`);
  }
}

const chosen = MEASURES.filter(({ id }) => asked?.includes(id) ?? true);
if (chosen.some((one) => one.alone !== true)) installPeers();
const commit = currentCommit();
const measured: Measured[] = [];
for (const { run, ...about } of chosen) {
  console.log(`=== ${about.title}`);
  const began = Date.now();
  const [load = 0] = loadavg();
  const rows = await run((line) => console.log(line));
  const { id, title, how, ahead, missed, alone } = about;
  const result: Measured = {
    date: new Date().toISOString(),
    commit,
    id,
    title,
    how,
    ...(ahead === undefined ? {} : { ahead }),
    ...(missed === undefined ? {} : { missed }),
    ...(alone === undefined ? {} : { alone }),
    seconds: (Date.now() - began) / 1_000,
    load,
    rows,
  };
  measured.push(result);
  console.log(`${renderTargets([result])}\n${result.seconds.toFixed(0)} s`);
}

const last = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
const before = last.measures;
const measures = MEASURES.flatMap(({ id, title, how, ahead, missed }): Measured[] => {
  const found = measured.find((each) => each.id === id) ?? before.find((each) => each.id === id);
  if (found === undefined) return [];
  // The words about a figure may be newer than the figure.
  const { date, commit, alone, seconds, load, rows } = found;
  const words = { title, how, ...(ahead && { ahead }), ...(missed && { missed }), ...(alone && { alone }) };
  return [{ date, commit, id, ...words, seconds, ...(load === undefined ? {} : { load }), rows }];
});
const thisRun: Omit<Results, "measures"> = {
  date: new Date().toISOString(),
  command: "npm run bench",
  machine: {
    cores: String(availableParallelism()),
    processor: cpus()[0]?.model ?? "unknown",
    "memory (GiB)": (totalmem() / 2 ** 30).toFixed(0),
    system: process.platform,
  },
  versions: {
    Cairn: (JSON.parse(readFileSync(path.join(PROJECT, "package.json"), "utf8")) as { version: string })
      .version,
    Node: process.versions.node,
    ...versionsOf(["workerd", "wrangler", "agents", "ai"], PROJECT),
  },
  peers: chosen.every((one) => one.alone === true) ? last.peers : peerVersions(),
};
const results: Results = { ...(measured.length === 0 ? last : thisRun), measures };
writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
const inProse = async (text: string): Promise<string> =>
  (await format("report.md", text, { printWidth: 110 })).code;
const present = readFileSync(REPORT, "utf8");
const [tasks, questions] = [SITE_TASKS, RESEARCH_QUESTIONS].map((name) => readBetween(present, name));
writeFileSync(REPORT, await inProse(renderReport(results, tasks, questions)));
const readme = putBetween(readFileSync(README, "utf8"), "benchmark", renderReadme(measures));
writeFileSync(README, await inProse(readme));
console.log(`Written: ${[RESULTS, REPORT, README].map((file) => path.relative(PROJECT, file)).join(", ")}`);
