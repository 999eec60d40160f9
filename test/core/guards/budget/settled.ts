import {
  addAmounts,
  amountsOf,
  type Amounts,
  type Ledger,
} from "../../../../src/core/guards/budget/amounts.ts";

/** The ledger of a run without its log: what is reserved and settled in turn. */
export function openReservation(ledger: Ledger, need: Amounts): Ledger {
  return { ...ledger, open: addAmounts(ledger.open, need) };
}

export function settleReservation(ledger: Ledger, need: Amounts, came: Partial<Amounts>): Ledger {
  const open = amountsOf((name) => ledger.open[name] - need[name]);
  return { ...ledger, open, used: addAmounts(ledger.used, came) };
}
