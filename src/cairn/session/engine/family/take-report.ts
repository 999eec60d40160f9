import { citedIn, reportEntries, reportOutput } from "../../../core/family/report.ts";
import { stopAgreedRollouts } from "../../../core/family/rollouts.ts";
import { awaitedChild } from "../../../core/family/tree.ts";
import { CHILD_SHOWN_CHARS_MAX } from "../../../core/limits.ts";
import type { ChildReport, ParentRun } from "../../../core/log/child.ts";
import { isObject, type Json } from "../../../core/log/json.ts";
import type { ReadPage } from "../../../core/log/receipt.ts";
import { cutObservation } from "../../../core/prompt/observation.ts";
import { removeHidden } from "../../../core/text/untrusted.ts";
import type { Facts, Ports } from "../ports.ts";
import { sourceNames } from "../sources.ts";
import type { Transaction } from "../transaction.ts";

/** A report as it crosses from one session to another: with the pages that it cites, by their names there. */
export interface SentReport {
  /** the run and the call that wait for it, and when their session was made */
  readonly to: Pick<ParentRun, "run" | "call" | "createdAt">;
  readonly report: ChildReport;
  readonly pages: readonly (readonly [name: string, page: Omit<ReadPage, "passages">])[];
}

/** Records a report, once. False if nobody awaits it: it was taken before, or the run has ended. */
export function takeReport(
  tx: Transaction,
  { report, pages }: Omit<SentReport, "to">,
  ports: Pick<Ports, "store" | "redact"> & Pick<Facts, "words">,
): boolean {
  const { run } = tx.state;
  const open = awaitedChild(run, report);
  if (run === null || open === null) return false;
  const { found, marks } = citedIn(report, new Map(pages));
  const named = sourceNames(ports)(
    { call: open.call },
    { text: JSON.stringify(marks.map(({ was, id }) => ({ was, id }))), sources: found },
  );
  const names = new Map(namesIn(named.output));
  const output = reportOutput(report, names);
  const whole = JSON.stringify(output);
  const text = ports.redact(report.tainted ? removeHidden(whole) : whole);
  const shown = cutObservation(text, CHILD_SHOWN_CHARS_MAX, open.call);
  // The call is settled, so nothing else is stored under this name.
  if (shown !== text) ports.store.saveBlob(open.call, text);
  tx.append(reportEntries(run, open, report, { text, shown, output, sources: named.sources }));
  if (tx.state.run?.run === run.run) {
    const { current } = tx.entriesOf(tx.state.run);
    tx.append(stopAgreedRollouts(tx.state.run, current, ports.words));
  }
  return true;
}

function namesIn(output: string): [was: string, name: string][] {
  const named = JSON.parse(output) as Json;
  if (!Array.isArray(named)) return [];
  return named.flatMap((item: Json): [string, string][] => {
    const { was, id } = isObject(item) ? item : {};
    return typeof was === "string" && typeof id === "string" ? [[was, id]] : [];
  });
}
