import { writeFileSync } from "node:fs";
import path from "node:path";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** Writes the log, the state and the texts kept apart of a session under the name of its schema; never over one that is there. */
export function writeFrozen(name = "", { state, log: entries, store }: FakePlatform): void {
  if (!/^v\d+-\w+$/.test(name)) throw new Error("say the name of the example, such as v2-waiting");
  const blobs = Object.fromEntries(store.blobNames().map((ref) => [ref, store.loadBlob(ref)]));
  const whole = { entries, state, digest: digestOf(state), blobs };
  const file = path.join(import.meta.dirname, `../../fixtures/persisted/${name}.json`);
  writeFileSync(file, `${JSON.stringify(whole, null, 1)}\n`, {
    flag: "wx",
  });
}
