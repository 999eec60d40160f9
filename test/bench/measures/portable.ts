import type { Measure, Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { onLargeSite } from "../scale/large-site.ts";
import type { FileCosts } from "../scale/worker.ts";

/** The large site as one file: out, and in again as another environment. */
export const portable: Measure = {
  id: "portable",
  title: "A large site as one file",
  alone: true,
  how: "The same site, with empty images, is exported as one file and imported as another environment. A call is one request.",
  run: (say) =>
    onLargeSite(say, async (order) => rowsOf(await order<FileCosts>({ do: "file", name: "copy" }))),
};

function rowsOf({ members, bytes, memberBytesMax, costs }: FileCosts): Row[] {
  const names: Record<(typeof costs)[number]["what"], string> = {
    export: `out: ${Math.round(bytes / 1e6)} MB in ${members} members of at most ${(memberBytesMax / 1e6).toFixed(1)} MB`,
    part: "in: a part",
    finish: "in: its rows",
  };
  return costs.map(({ what, requests }): Row => {
    const times = requests.map((one) => Math.round(one.ms * 10) / 10);
    const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
    const all = `${requests.length} requests, ${seconds(times.reduce((sum, one) => sum + one, 0))} s`;
    return {
      what: `${names[what]}; ${all}`,
      unit: "ms",
      cells: { cairn: times },
      billed: {
        read: median(requests.map((one) => one.read)),
        written: median(requests.map((one) => one.written)),
      },
    };
  });
}
