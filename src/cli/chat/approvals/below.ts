import * as z from "zod";
import { rootOf } from "../../../cairn/core/log/names.ts";
import { parseApproval, type Approval } from "../chunks.ts";
import type { Acknowledged } from "../connection.ts";
import type { Answered, SessionRequest } from "../session-request.ts";

/**
 * Approvals of runs that the conversation's own run has started. Those runs have their own sessions, which the
 * terminal is not connected to, so the inbox is polled while one of them may be running, and a decision goes to the
 * run that asks.
 */
export interface Below {
  /** Polls the inbox and calls `onChange` with the open approvals; returns a function that stops it. */
  watch(onChange: (approvals: readonly ApprovalBelow[]) => void): () => void;
  decide(id: string, choice: { readonly [name: string]: unknown }): Promise<Acknowledged>;
}

export interface ApprovalBelow {
  /** its id names its session too: `isBelow` */
  readonly approval: Approval;
  /** what the run that asks was asked itself; null where that could not be had */
  readonly objective: string | null;
}

/** True if the tool starts a run. */
export const isStarter = (tool: string): boolean => tool === "run_agent" || tool.startsWith("agent_");

/** True for an approval that waits in another session than the open one. */
export const isBelow = (id: string): boolean => id.includes("/");

/** The path of what is asked of such an approval, below `/api`. */
export function pathOf(id: string): string {
  const [session = "", approval = ""] = id.split("/");
  return `/sessions/${session}/approvals/${approval}`;
}

const LOOK_MS = 2_000;

const inbox = z.object({ approvals: z.array(z.looseObject({ id: z.string(), sessionId: z.string() })) });
const titled = z.object({ title: z.string() });

export function createBelow(
  root: string,
  api: SessionRequest,
  later: (ms: number, callback: () => void) => () => void,
): Below {
  const objectives = new Map<string, string | null>();
  const objectiveOf = async (session: string): Promise<string | null> => {
    const known = objectives.get(session);
    if (known !== undefined) return known;
    const answer = await api("GET", `/sessions/${session}`);
    const found = answer.ok ? (titled.safeParse(answer.body).data?.title ?? null) : null;
    objectives.set(session, found);
    return found;
  };
  const look = async (): Promise<readonly ApprovalBelow[] | null> => {
    const answer = await api("GET", "/inbox");
    const found = answer.ok ? inbox.safeParse(answer.body).data : undefined;
    if (found === undefined) return null;
    const below = found.approvals.filter(({ sessionId }) => sessionId !== root && rootOf(sessionId) === root);
    const approvals = below.map(async (item) => {
      const approval = parseApproval({ ...item, id: `${item.sessionId}/${item.id}` });
      return approval === null ? [] : [{ approval, objective: await objectiveOf(item.sessionId) }];
    });
    return (await Promise.all(approvals)).flat();
  };
  return {
    watch(onChange) {
      let cancel = (): void => {};
      let over = false;
      const again = async (): Promise<void> => {
        const approvals = await look();
        if (over) return;
        if (approvals !== null) onChange(approvals);
        cancel = later(LOOK_MS, () => void again());
      };
      void again();
      return () => {
        over = true;
        cancel();
      };
    },
    async decide(id, choice) {
      return acknowledged(await api("POST", pathOf(id), choice));
    },
  };
}

/** The response as an acknowledgement of the socket. A refusal without issues of the arguments came too late. */
function acknowledged(answer: Answered): Acknowledged {
  if (answer.ok) return { ok: true, result: answer.body };
  const { text, issues } = answer.why;
  const code = issues.length > 0 ? "invalid_args" : "already_decided";
  return { ok: false, error: { code, message: text, issues: [...issues] } };
}
