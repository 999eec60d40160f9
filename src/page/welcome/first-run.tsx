import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { useCommands, useSessionDetail } from "../open-session/live.tsx";
import { useToast } from "../parts/toasts.tsx";
import { sentenceOf, useAnswer, ask } from "../api.ts";
import { useHasSite, useMay, useWho } from "../who.tsx";
import { suggestedRequests } from "./suggested-requests.ts";
import { useId, useState } from "react";
import { DEFAULT_AGENT } from "../../cairn/core/log/names.ts";
import type { SessionView } from "../../cairn/protocol/views.ts";
import { useAct } from "../parts/use-act.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { AgentOptions } from "../agents/agent-options.tsx";
import { useAgents } from "../agents/use-agents.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import { toolsToName } from "./tools-to-name.ts";

/** An empty session: what one could ask, and which model would answer. */
export function FirstRun() {
  const { health } = useWho();
  const maySend = useMay("send");
  const hasSite = useHasSite();
  return (
    <section className="first" aria-labelledby="first-title">
      <h2 id="first-title">What should I work on?</h2>
      {hasSite ? maySend ? <SuggestedRequests /> : null : <OwnTools />}
      {maySend ? <StartAgent /> : null}
      {health.rules ? <Rehearsal /> : <p className="small soft">The model is {health.model ?? "not set"}.</p>}
    </section>
  );
}

/** Requests for the website as it is. */
function SuggestedRequests() {
  const { send } = useCommands();
  const showToast = useToast();
  const site = useAnswer<SiteAnswer<"SiteOutline">>("/api/cms/outline", { shouldRetryOnError: false });
  if (site.data === undefined && site.error === undefined) return null;
  return (
    <ul>
      {suggestedRequests(site.data ?? null).map(({ text, about }) => (
        <li key={text}>
          <button
            className="wish"
            onClick={() => void send(text).catch((thrown: unknown) => showToast(sentenceOf(thrown), "bad"))}
          >
            <span>{text}</span>
            <span className="small soft">{about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Rehearsal() {
  return (
    <details className="small soft model-note">
      <summary>
        You are using the <strong>rehearsal model</strong>: rules, not a language model. How to use a real one
      </summary>
      <p>
        On this machine, start Cairn with any provider that speaks the OpenAI format, or put the same two
        variables into <code>.dev.vars</code>:
      </p>
      <pre>
        <code>
          {"npm start -- --var MODEL:openai-compatible:llama3.3 \\\n"}
          {"  --var OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:11434/v1"}
        </code>
      </pre>
      <p>
        On your Cloudflare account, set <code>MODEL</code> in <code>wrangler.toml</code>, for example to{" "}
        <code>workers-ai:@cf/…</code>, and deploy.
      </p>
    </details>
  );
}

/** Which agent a new session begins with. Where there is only one, nothing is asked. */
function StartAgent() {
  const agents = useAgents().items;
  return agents.length < 2 ? null : <Choice />;
}

function Choice() {
  const { id, startWith } = useCommands();
  const agents = useAgents().items;
  // Over the API a session can be made before its first message.
  const made = useSessionDetail(id).data ?? null;
  const { busy, fault, run } = useAct();
  const [wanted, setWanted] = useState<string | null>(null);
  const field = useId();
  const value = wanted ?? made?.agent ?? DEFAULT_AGENT;
  const choose = async (agent: string): Promise<void> => {
    if (made === null) {
      startWith(agent);
      return setWanted(agent);
    }
    await run(async () =>
      putSession(await ask<SessionView>(`/api/sessions/${id}`, { method: "PATCH", body: { agent } })),
    );
  };
  return (
    <div className="first-agent small">
      <label htmlFor={field} className="soft">
        Agent
      </label>
      <select id={field} value={value} disabled={busy} onChange={({ target }) => void choose(target.value)}>
        <AgentOptions agents={agents} chosen={value} />
      </select>
      {fault === null ? null : <p role="alert">{fault}</p>}
    </div>
  );
}

/** The tools that the project adds to those of every deployment: "I can: create_ticket". */
function OwnTools() {
  const { data } = useAnswer<Answer<"Tools">>("/api/tools", { shouldRetryOnError: false });
  const { shown, more } = toolsToName(data?.items ?? []);
  if (shown.length === 0) return null;
  return (
    <div className="own-tools">
      <p>I can:</p>
      <ul>
        {shown.map(({ name, title }) => (
          <li key={name}>
            <code>{name}</code>
            {title === null || title === name ? null : <span className="small soft"> {title}</span>}
          </li>
        ))}
      </ul>
      {more === 0 ? null : <p className="small soft">and {more} more</p>}
    </div>
  );
}
