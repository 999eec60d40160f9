import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { StartAgent } from "../agents/start-agent.tsx";
import { useCommands } from "../open-session/live.tsx";
import { useToast } from "../parts/toasts.tsx";
import { sentenceOf, useAnswer } from "../api.ts";
import { useHasSite, useMay, useWho } from "../who.tsx";
import { OwnTools } from "./own-tools.tsx";
import { suggestedRequests } from "./suggested-requests.ts";

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
