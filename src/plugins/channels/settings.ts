import { parseList } from "../../wire/config/variables.ts";
import { parseVapid } from "./webpush/vapid.ts";

/** Variables of channels that are set and cannot be read: what they are for is off. */
export function settingProblems(
  env: Record<string, unknown>,
): readonly { readonly about: string; readonly message: string }[] {
  const problems: { readonly about: string; readonly message: string }[] = [];
  parseVapid(env, (about, message) => void problems.push({ about, message }));
  if (parseList(env["WEBPUSH_SERVICES"]) === null)
    problems.push({ about: "WEBPUSH_SERVICES", message: "Must be a comma list of names of hosts." });
  return problems;
}
