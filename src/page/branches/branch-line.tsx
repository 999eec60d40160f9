import type { SessionView } from "../../cairn/protocol/views.ts";
import { useAnswer } from "../api.ts";
import { Revealed } from "../parts/revealed.tsx";
import { useMay } from "../who.tsx";
import { branchHref, branchOf } from "./branch.ts";
import "./branches.css";

/** The run that asks, if it is not the conversation's own: its objective, and a link into the trace. */
export function BranchLine({ session, objective = null }: { session: string; objective?: string | null }) {
  const branch = branchOf(session);
  const mayRead = useMay("read");
  const { data } = useAnswer<SessionView>(
    branch !== null && mayRead && objective === null ? `/api/sessions/${session}` : null,
    { revalidateOnFocus: false, revalidateIfStale: false },
  );
  if (branch === null) return null;
  const words = objective ?? data?.title ?? null;
  return (
    <p className="branch-line small">
      <span className="tag">
        {branch.depth === 1 ? "A sub-run asks" : `A sub-run ${branch.depth} levels below asks`}
      </span>
      {words === null ? null : (
        <span className="branch-words">
          <Revealed text={words} />
        </span>
      )}
      <a href={branchHref(branch)}>Show it in the trace</a>
    </p>
  );
}
