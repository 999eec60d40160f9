import type { ProviderFault } from "../../outbound/provider.ts";
import { ToolError } from "../define.ts";

/** All providers failed: a temporary fault takes precedence. */
export function failureOf(failed: readonly { readonly faults: readonly ProviderFault[] }[]): ToolError {
  const faults = failed.flatMap((one) => one.faults);
  const fault = worst(faults);
  const waits = faults.flatMap(({ passing, retryAfterMs }) => (passing ? [retryAfterMs ?? 0] : []));
  return new ToolError(fault.class, fault.code, sentence(faults), {
    nothingDone: true,
    retryable: fault.passing,
    retryAfterMs: waits.length === 0 ? null : Math.min(...waits),
    hint: fault.passing
      ? "It may work in a moment."
      : "This is no empty result: nothing was searched. Tell the person; the operator has to mend it.",
  });
}

/** The fault that may be gone in a moment, where there is one. */
export const worst = (faults: readonly ProviderFault[]): ProviderFault => {
  const fault = faults.find(({ passing }) => passing) ?? faults[0];
  if (fault === undefined) throw new Error("a question failed without a fault");
  return fault;
};

export const sentence = (faults: readonly ProviderFault[]): string =>
  [...new Set(faults.map(({ message }) => message))].join(" ");
