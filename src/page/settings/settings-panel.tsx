import { useEffect, useMemo } from "react";
import type { SessionDetail } from "../../cairn/protocol/views.ts";
import { useAnswer } from "../api.ts";
import { useCommands } from "../open-session/live.tsx";
import { useLog, useLogEntries } from "../open-session/log.ts";
import { Failed } from "../parts/failed.tsx";
import { useMay } from "../who.tsx";
import { About } from "./about.tsx";
import { CheckIns } from "./alone/check-ins.tsx";
import { WorkAlone } from "./alone/work-alone.tsx";
import { Budget } from "./budget.tsx";
import { Identity } from "./identity.tsx";
import { Policies } from "./policies.tsx";
import { Schedules } from "./schedules.tsx";
import { SentMessages } from "./sent-messages.tsx";
import { Shares } from "./shares.tsx";
import { sentPath } from "../sent/use-sent.ts";
import "./settings.css";

/** Entries after which the session's own facts are others. */
const FACTS = new Set([
  "run_queued",
  "run_started",
  "run_ended",
  "command_queued",
  "policy_remembered",
  "policy_revoked",
  "session_cleared",
]);

/**
 * True once every answer that sets the height of a part has come, or has failed. The parts are then drawn together: one that grew
 * later would move the button below it under a press.
 */
function useShape(id: string | null, maySend: boolean): boolean {
  const under = (part: string): string | null => (id === null ? null : `/api/sessions/${id}/${part}`);
  const agents = useAnswer<unknown>(id === null ? null : "/api/agents");
  const sent = useAnswer<unknown>(id === null ? null : sentPath(id));
  const schedules = useAnswer<unknown>(under("schedules"));
  const heartbeat = useAnswer<unknown>(under("heartbeat"));
  const shares = useAnswer<unknown>(maySend ? under("shares") : null);
  return [agents, sent, schedules, heartbeat, ...(maySend ? [shares] : [])].every(
    ({ data, error }) => data !== undefined || error !== undefined,
  );
}

/** Settings of this session: name and model, limits of its runs, remembered decisions, schedules. */
export default function SettingsPanel() {
  const { id } = useCommands();
  const { events, loading, failure: unread } = useLogEntries();
  const log = useLog();
  const maySend = useMay("send");
  // The first message makes the session: before that there is nothing to ask.
  const detail = useAnswer<SessionDetail>(events.length === 0 ? null : `/api/sessions/${id}`);
  const hasShape = useShape(events.length === 0 ? null : id, maySend);
  const { mutate } = detail;
  const data = hasShape ? detail.data : undefined;
  const changed = useMemo(() => events.findLast(({ kind }) => FACTS.has(kind))?.seq ?? 0, [events]);
  useEffect(() => {
    if (changed > 0) void mutate();
  }, [changed, mutate]);
  const failure = unread ?? detail.error ?? null;
  return (
    <section
      className="settings"
      aria-label="Settings"
      aria-busy={failure === null && data === undefined && (loading || events.length > 0)}
    >
      <h2>Settings</h2>
      {failure === null ? null : (
        <Failed failure={failure} again={() => (unread === null ? void mutate() : log.retry())} />
      )}
      {failure === null && !loading && events.length === 0 ? (
        <p className="soft">
          A session starts with its first message. Its title, model, limits and schedules are then shown here.
        </p>
      ) : null}
      {data === undefined ? null : (
        <>
          <Identity session={data} mayChange={maySend} />
          <Budget session={data} events={events} />
          <Policies session={data} changed={() => void mutate()} />
          <SentMessages id={id} events={events} />
          <Schedules id={id} mayChange={maySend} />
          <CheckIns id={id} mayChange={maySend} changed={changed} />
          <WorkAlone session={data} events={events} mayStart={maySend} />
          {maySend ? <Shares session={data} /> : null}
          <About session={data} events={events} mayClear={maySend} />
        </>
      )}
    </section>
  );
}
