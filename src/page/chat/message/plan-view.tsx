import { Icon, type IconName } from "../../parts/icon.tsx";
import type { Plan, PlanItem } from "../turn.ts";

const STATES: Readonly<
  Record<PlanItem["status"], { readonly icon: IconName | null; readonly says: string }>
> = {
  open: { icon: null, says: "to do" },
  doing: { icon: null, says: "in progress" },
  done: { icon: "check", says: "done" },
  failed: { icon: "close", says: "failed" },
  dropped: { icon: "close", says: "skipped" },
};

/** The plan of a run, with the state of each item. */
export function PlanView({ plan }: { plan: Plan }) {
  const { items, goal } = plan;
  const done = items.filter(({ status }) => status === "done").length;
  return (
    <details className="plan" open>
      <summary>
        <span>Plan</span>
        <progress max={items.length} value={done} aria-label="Plan" />
        <span className="soft small">
          {done} of {items.length}
        </span>
      </summary>
      {goal === null || goal === "" ? null : <p className="small soft">{goal}</p>}
      <ul>
        {items.map(({ id, text, status, reason }) => (
          <li key={id} data-status={status}>
            <span className="call-state" title={STATES[status].says}>
              {STATES[status].icon === null ? (
                <span className={status === "doing" ? "spinner" : "circle"} />
              ) : (
                <Icon name={STATES[status].icon} />
              )}
              <span className="visually-hidden">{STATES[status].says}</span>
            </span>
            <span>
              {text}
              {reason === null ? null : <span className="soft small"> {reason}</span>}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
