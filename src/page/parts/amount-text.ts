/** Tokens and US dollars, for people. */

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `8.1K tokens` */
export const tokensText = (count: number): string => `${compact.format(count)} tokens`;

/** `$0.0123`, `$1.20`; nothing for nothing. */
export function costText(usd: number | null): string | null {
  if (usd === null || usd === 0) return null;
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
