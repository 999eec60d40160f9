import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createTestHarness } from "wrangler";
import { PROJECT } from "../../../src/cli/places.ts";
import type { ScaleOrder } from "./worker.ts";

/** Sends a command to the large site; slow commands take minutes. */
export type Order = <Result>(body: ScaleOrder) => Promise<Result>;

const ORDER_MS_MAX = 900_000;

/** Makes the large site in a worker of its own, and closes it afterwards. */
export async function onLargeSite<Found>(
  say: (line: string) => void,
  act: (order: Order) => Promise<Found>,
): Promise<Found> {
  const harness = createTestHarness({
    workers: [{ configPath: path.join(import.meta.dirname, "wrangler.toml") }],
  });
  await harness.listen();
  const order = async <Result>(body: ScaleOrder): Promise<Result> => {
    const init = { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(ORDER_MS_MAX) };
    const response = await harness.getWorker("scale").fetch("http://bench/", init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Result;
  };
  try {
    await order({ do: "migrate", sql: migrations() });
    await order({ do: "make" });
    say("the site is made");
    return await act(order);
  } finally {
    await harness.close();
  }
}

/** The statements of all migrations. A trigger holds semicolons, and ends with its END. */
function migrations(): string[] {
  const folder = path.join(PROJECT, "migrations");
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => statementsOf(readFileSync(path.join(folder, name), "utf8")));
}

function statementsOf(sql: string): string[] {
  const plain = sql.replaceAll(/--.*$/gm, "");
  return [...plain.matchAll(/\s*CREATE TRIGGER[\s\S]*?END;|[^;]+;/g)]
    .map(([one]) => one.trim())
    .filter((one) => one !== ";");
}
