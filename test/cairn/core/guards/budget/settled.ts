import {
  addAmounts,
  amountsOf,
  type Amounts,
  type Account,
} from "../../../../../src/cairn/core/guards/budget/amounts.ts";

/** The account of a run without its log: what is reserved and settled in turn. */
export function openReservation(account: Account, need: Amounts): Account {
  return { ...account, open: addAmounts(account.open, need) };
}

export function settleReservation(account: Account, need: Amounts, came: Partial<Amounts>): Account {
  const open = amountsOf((name) => account.open[name] - need[name]);
  return { ...account, open, used: addAmounts(account.used, came) };
}
