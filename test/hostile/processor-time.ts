/** Processor time of this thread, in milliseconds: waiting for a busy machine is none. */
export function processorMs(act: () => unknown): number {
  const from = process.threadCpuUsage();
  act();
  return msSince(from);
}

/** The same for work that waits in between. */
export async function asyncProcessorMs(act: () => unknown): Promise<number> {
  const from = process.threadCpuUsage();
  await act();
  return msSince(from);
}

function msSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

/** Processor time of the reference on the machine for which the limits are written down. */
const REFERENCE_MS = 400;

/** Measures a fixed piece of work, which parses and writes text as the parsers under test do. */
const referenceMs = (): number =>
  processorMs(() => {
    const items = Array.from({ length: 60_000 }, (_, at) => `{"a":[${at},"x\\u0041"],"b":null}`);
    const parsed = JSON.parse(`[${items.join(",")}]`) as readonly object[];
    const written = parsed.map((item) => JSON.stringify(item).replaceAll(/[a-z]/g, "q"));
    const counts = new Map<string, number>();
    for (let at = 0; at < 300_000; at++) counts.set(`k${at}`, at);
    if (written.length + counts.size !== 360_000) throw new Error("the reference did other work");
  });

/**
 * `true` when work that took `ms` is over its limit. A machine that is slower at this moment than the one for which the limit is
 * written down is allowed more, by the ratio of a reference that is measured right now.
 */
export function isOverLimit(ms: number, limitMs: number): boolean {
  return ms > limitMs && ms > (limitMs * referenceMs()) / REFERENCE_MS;
}
