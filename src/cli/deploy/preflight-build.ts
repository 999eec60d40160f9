import { lastLines, loadFinding, note, stop, type Finding } from "./findings.ts";
import type { RunProgram } from "../start/programs.ts";

/** Preflight checks that run a program: types, and the size of the bundle. No account, no network. */

/** Bytes of the compressed worker that Cloudflare took on each plan when this was written (Workers, platform limits). */
const GZIP_MIB_MAX = { free: 3, paid: 10 };

/** Types, then the bundle as `wrangler deploy` would send it. `outdir` is a private folder. */
export async function buildFindings(run: RunProgram, outdir: string): Promise<readonly Finding[]> {
  const types = await run("wrangler", ["types"]);
  const checked = types.code === 0 ? await run("tsc", ["-p", "."]) : types;
  const built = await run("wrangler", ["deploy", "--dry-run", "--outdir", outdir]);
  return [
    ...(checked.code === 0
      ? []
      : [
          stop(
            "types",
            `TypeScript found errors.\n${lastLines(checked.out, checked.err)}`,
            "Fix the errors above.",
          ),
        ]),
    bundleFinding(built.code, built.out, built.err),
  ];
}

/** The worker's size, from the output of the dry run. */
export function bundleFinding(code: number | null, out: string, err: string): Finding {
  if (code !== 0)
    return (
      loadFinding(out, err) ??
      stop("bundle", `\`wrangler deploy --dry-run\` failed.\n${lastLines(out, err)}`, "Fix the errors above.")
    );
  const kib = Number(/gzip: ([\d.]+) KiB/.exec(out)?.[1] ?? NaN);
  if (Number.isNaN(kib))
    return stop(
      "bundle",
      "Wrangler did not print the size of the worker.",
      "See `npx wrangler deploy --dry-run`.",
    );
  const mib = kib / 1_024;
  const weighs = `The worker weighs ${Math.round(kib)} KiB compressed`;
  if (mib > GZIP_MIB_MAX.paid)
    return stop("bundle", `${weighs}; Cloudflare takes ${GZIP_MIB_MAX.paid} MiB.`, "Import less.");
  if (mib > GZIP_MIB_MAX.free)
    return note(
      "bundle",
      `${weighs}: more than the ${GZIP_MIB_MAX.free} MiB of the free plan, within the paid one.`,
    );
  return note("bundle", `${weighs}, of ${GZIP_MIB_MAX.free} MiB on the free plan.`);
}
