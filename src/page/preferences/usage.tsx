import { useMemo, useState } from "react";
import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer } from "../api.ts";
import { costText } from "../parts/amount-text.ts";
import { Failed } from "../parts/failed.tsx";
import { modelName } from "../log-text/codes.ts";
import { useMay } from "../who.tsx";
import { usageRows } from "./usage-rows.ts";

const GROUPS = [
  ["day", "Day"],
  ["model", "Model"],
  ["subject", "Person"],
] as const;
type Group = (typeof GROUPS)[number][0];

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const DAYS = 30;
const DAY_MS = 86_400_000;

/** Usage of recent days, by day, by model or, for an admin, by person. */
export function Usage() {
  const [by, setBy] = useState<Group>("day");
  const isAdmin = useMay("admin");
  const from = useMemo(() => new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10), []);
  const { data, error, mutate } = useAnswer<Answer<"Usage">>(`/api/usage?groupBy=${by}&from=${from}`);
  const rows = usageRows(data?.items ?? [], by === "day");
  return (
    <section aria-labelledby="preferences-usage" aria-busy={data === undefined && error === undefined}>
      <h2 id="preferences-usage">Usage in the last {DAYS} days</h2>
      <label className="preferences-choice">
        By
        <select value={by} onChange={({ target }) => setBy(target.value as Group)}>
          {GROUPS.filter(([value]) => isAdmin || value !== "subject").map(([value, name]) => (
            <option key={value} value={value}>
              {name.toLowerCase()}
            </option>
          ))}
        </select>
      </label>
      {error === undefined ? null : <Failed failure={error} again={() => void mutate()} />}
      {data === undefined ? null : rows.length === 0 ? (
        <p className="soft">Nothing was used yet.</p>
      ) : (
        <div className="preferences-table" tabIndex={0} role="region" aria-label="Usage">
          <table>
            <thead>
              <tr>
                <th scope="col">{GROUPS.find(([value]) => value === by)?.[1]}</th>
                <th scope="col">Requests</th>
                <th scope="col">Steps</th>
                <th scope="col">Tokens</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key}>
                  <th scope="row" dir="auto">
                    {by === "model" ? modelName(row.key) : row.key}
                  </th>
                  <td>{row.runs.toLocaleString("en")}</td>
                  <td>{row.steps.toLocaleString("en")}</td>
                  <td>
                    <meter min={0} max={1} value={row.share} aria-hidden="true" />
                    {compact.format(row.tokens)}
                  </td>
                  <td>{costText(row.costUsd) ?? "–"}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <td>{data.total.runs.toLocaleString("en")}</td>
                <td>{data.total.steps.toLocaleString("en")}</td>
                <td>{compact.format(data.total.inputTokens + data.total.outputTokens)}</td>
                <td>{costText(data.total.costUsd) ?? "–"}</td>
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </section>
  );
}
