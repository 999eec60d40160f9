import { useMaySeeInbox, useWaitingCount } from "../approvals/waiting.ts";
import { Icon } from "../parts/icon.tsx";
import { useChats } from "../parts/chats.ts";
import { hrefOf, type Route } from "../route.ts";
import { sentenceOf } from "../api.ts";
import { useToast } from "../parts/toasts.tsx";
import { useMay, useWho } from "../who.tsx";

/** The way to what waits for this person and to the preferences, and who one is here, with which model. */
export function SidebarFoot({ route }: { route: Route }) {
  const { health, me, signOut } = useWho();
  const showToast = useToast();
  const maySeeInbox = useMaySeeInbox();
  const mayRead = useMay("read");
  const leave = (): void => {
    signOut().catch((failure: unknown) => showToast(sentenceOf(failure), "bad"));
  };
  return (
    <footer className="sidebar-foot">
      {maySeeInbox ? <InboxLink isOpen={route.at === "inbox"} /> : null}
      <a
        className="inbox-link"
        href={hrefOf({ at: "preferences" })}
        aria-current={route.at === "preferences" ? "page" : undefined}
      >
        <Icon name="settings" />
        <span>Preferences</span>
        {mayRead ? <ShutChats /> : null}
      </a>
      <div className="sidebar-who small">
        <p className="soft" title={health.model ?? undefined}>
          <span className="visually-hidden">Model: </span>
          {modelWords(health.model, health.rules)}
        </p>
        <p className="row">
          <span className="sidebar-subject">{me.anonymous ? "Local (no sign-in)" : me.subject}</span>
          {me.anonymous ? null : (
            <button className="link-button small" onClick={leave}>
              Sign out
            </button>
          )}
        </p>
      </div>
    </footer>
  );
}

/** Links to the settings of a chat that no longer accepts messages. */
function ShutChats() {
  if (!useChats().some(({ blocked }) => blocked)) return null;
  return (
    <span className="sidebar-shut" title="A chat no longer accepts messages from Cairn">
      <Icon name="warn" />
      <span className="visually-hidden">, a chat no longer accepts messages from Cairn</span>
    </span>
  );
}

function InboxLink({ isOpen }: { isOpen: boolean }) {
  const count = useWaitingCount();
  return (
    <a className="inbox-link" href={hrefOf({ at: "inbox" })} aria-current={isOpen ? "page" : undefined}>
      <Icon name="inbox" />
      <span>Needs you</span>
      {count === 0 ? null : (
        <span className="inbox-count">
          {count > 99 ? "99+" : count}
          <span className="visually-hidden"> waiting</span>
        </span>
      )}
    </a>
  );
}

/** `gpt-5` of `openai-compatible:gpt-5`; the rehearsal model is shown as such. */
function modelWords(model: string | null, isRehearsal: boolean): string {
  if (isRehearsal) return "Rehearsal: rules, not a model";
  if (model === null) return "No model set";
  return model.slice(model.indexOf(":") + 1);
}
