import { useCommands } from "../open-session/live.tsx";
import { useSay } from "../shell/toasts.tsx";
import { sentenceOf } from "../api.ts";
import { useMay, useWho } from "../who.tsx";
import { WISHES } from "./wishes.ts";

/** An empty session: what one could ask, and which model would answer. */
export function FirstRun() {
  const { send } = useCommands();
  const { health } = useWho();
  const say = useSay();
  const maySend = useMay("send");
  return (
    <section className="first" aria-labelledby="first-title">
      <h2 id="first-title">What shall I do?</h2>
      {maySend ? (
        <ul>
          {WISHES.map(([wish, about]) => (
            <li key={wish}>
              <button
                className="wish"
                onClick={() => void send(wish).catch((thrown: unknown) => say(sentenceOf(thrown), "bad"))}
              >
                <span>{wish}</span>
                <span className="small soft">{about}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {health.rehearsal ? (
        <Rehearsal />
      ) : (
        <p className="small soft">The model is {health.model ?? "not set"}.</p>
      )}
    </section>
  );
}

function Rehearsal() {
  return (
    <details className="small soft model-note">
      <summary>
        The model in use is <strong>the rehearsal</strong>: rules, not a language model. How to set a real one
      </summary>
      <p>
        Here, start it with a provider that speaks the OpenAI format, or write the same two variables into{" "}
        <code>.dev.vars</code>:
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
