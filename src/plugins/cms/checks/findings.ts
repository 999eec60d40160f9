import type { Check, Checks } from "../model/types.ts";

/** Where a finding is, and at which field. */
export interface FindingTarget {
  readonly owner: Check["owner"];
  readonly field?: string;
}

/** Collects findings in order. The same finding in a second locale is one finding. */
export class Findings implements Checks {
  readonly blockers: Check[] = [];
  readonly warnings: Check[] = [];

  block(code: string, target: FindingTarget, message: string, fix: string): void {
    this.blockers.push(...this.unlessKnown(this.blockers, { code, ...target, message, fix }));
  }

  warn(code: string, target: FindingTarget, message: string, fix: string): void {
    this.warnings.push(...this.unlessKnown(this.warnings, { code, ...target, message, fix }));
  }

  private unlessKnown(list: readonly Check[], check: Check): Check[] {
    const isKnown = list.some(
      (other) =>
        other.code === check.code &&
        other.owner.id === check.owner.id &&
        other.field === check.field &&
        other.message === check.message,
    );
    return isKnown ? [] : [check];
  }
}
