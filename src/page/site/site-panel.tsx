import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { sentenceOf, useAnswer } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useMay } from "../who.tsx";
import { useChatState, useCommands, useSessionDetail } from "../open-session/live.tsx";
import type { SitePage } from "../open-session/site-page.ts";
import { useRequestedPage } from "../open-session/shown.tsx";
import { ChangeSets } from "./change-sets.tsx";
import { addressOf, environmentIn, environmentOf, newestChange, pathOf, rootOf } from "./changes.ts";
import { DownloadSite } from "./download-site.tsx";
import { Frames } from "./frames.tsx";
import { History } from "./history.tsx";
import "./site.css";

type View = "draft" | "published" | "changes" | "history";
const VIEWS: readonly (readonly [View, string])[] = [
  ["draft", "Draft"],
  ["published", "Published"],
  ["changes", "Changes"],
  ["history", "History"],
];

/** A token shows drafts for an hour; a new one comes before that. */
const TOKEN_MS = 45 * 60_000;

/** True for the views that show a list and no page in a frame. */
const isList = (view: View): view is "changes" | "history" => view === "changes" || view === "history";

/** The site next to the chat. Follows the latest change, and shows it as a draft or as visitors see it. */
export default function SitePanel() {
  const { messages } = useChatState();
  const { requested, handled } = useRequestedPage();
  // Drafts are for people who may write; readers see the public version.
  const mayDraft = useMay("send");
  const change = useMemo(() => newestChange(messages), [messages]);
  const [view, setView] = useState<View>(mayDraft ? "draft" : "published");
  const { id } = useCommands();
  const session = useSessionDetail(messages.length > 0 ? id : null);
  const home: SitePage = { path: rootOf(environmentIn(session.data?.targets ?? null)), section: null };
  /** null: the start page of the session's site */
  const [chosen, setPage] = useState<SitePage | null>(change?.page ?? null);
  const page = chosen ?? home;
  /** where links in the frame have led since, or null: a load by us begins at `page` */
  const [strayed, setStrayed] = useState<string | null>(null);
  // Each look is a new load, even of the same address: its content has changed.
  const [look, setLook] = useState(0);
  const here: SitePage = strayed === null ? page : { path: strayed, section: null };
  const environment = environmentOf(here.path);
  const inEnvironment = environment === null ? "" : `&environment=${environment}`;
  // While this session collects, its draft is the site with what is collected.
  const sets = useAnswer<SiteAnswer<"ChangeSets">>(
    mayDraft ? `/api/cms/change-sets?state=open${inEnvironment}` : null,
  );
  const { mutate: lookForSets } = sets;
  useEffect(() => void lookForSets(), [change?.call, lookForSets]);
  const set = sets.data?.items.find((one) => one.session === id)?.id ?? null;
  const of = set === null ? inEnvironment : `${inEnvironment}&set=${set}`;
  const preview = useAnswer<{ url: string }>(mayDraft ? `/api/cms/preview-link?type=site${of}` : null, {
    refreshInterval: TOKEN_MS,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  });
  const fresh = useMemo(
    () => (preview.data === undefined ? null : new URL(preview.data.url).searchParams.get("preview")),
    [preview.data],
  );
  // A look keeps its token: a new one is no reason to load again.
  const [previewToken, setPreviewToken] = useState<{ readonly of: string; readonly token: string } | null>(
    null,
  );
  const token = previewToken?.of === of ? previewToken.token : fresh;
  const goTo = (next: SitePage): void => {
    setPreviewToken(fresh === null ? null : { of, token: fresh });
    setPage(next);
    setStrayed(null);
    setLook((count) => count + 1);
  };

  const followed = useRef(change?.call ?? null);
  useEffect(() => {
    if (change === null || change.call === followed.current) return;
    followed.current = change.call;
    goTo(change.page ?? here);
  });
  useEffect(() => {
    if (requested === null || requested.nonce === handled.current) return;
    handled.current = requested.nonce;
    if (isList(view)) setView("draft");
    goTo(requested);
  });

  // Which site it is, is not known before the session is.
  const waits = (view === "draft" && token === null) || (chosen === null && session.isLoading);
  const path = here.path;
  const address = waits ? null : addressOf(page, view === "draft" ? token : null);
  return (
    <>
      <div className="site-bar">
        {mayDraft ? null : <span className="small soft">Live site</span>}
        <Views
          hidden={!mayDraft}
          view={view}
          choose={(next) => {
            setView(next);
            goTo(here);
          }}
        />
        {isList(view) ? null : (
          <>
            <Path path={path} go={(path) => goTo({ path, section: null })} />
            <button className="button quiet" aria-label="Reload" title="Reload" onClick={() => goTo(here)}>
              <Icon name="retry" />
            </button>
            {address === null ? null : (
              <a
                className="button quiet"
                href={addressOf(here, view === "draft" ? token : null)}
                target="_blank"
                rel="noreferrer noopener"
                title="Open in a new tab"
              >
                <Icon name="open" />
                <span className="visually-hidden">Open in a new tab</span>
              </a>
            )}
          </>
        )}
        {mayDraft ? <DownloadSite key={environment} environment={environment} /> : null}
      </div>
      {view === "history" ? (
        <History session={id} environment={environment} newest={change?.call ?? null} />
      ) : view === "changes" ? (
        <ChangeSets
          session={messages.length > 0 ? id : null}
          environment={environment}
          newest={change?.call ?? null}
        />
      ) : view === "draft" && preview.error !== undefined && token === null ? (
        <p className="site-fault" role="alert">
          {sentenceOf(preview.error)}
        </p>
      ) : (
        <Frames address={address} look={look} title={`The site, ${view}`} onPath={setStrayed} />
      )}
    </>
  );
}

function Views({ view, choose, hidden }: { view: View; choose: (view: View) => void; hidden: boolean }) {
  const name = useId();
  return (
    <fieldset className="site-views" hidden={hidden}>
      <legend className="visually-hidden">Which version</legend>
      {VIEWS.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === view} onChange={() => choose(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Path({ path, go }: { path: string; go: (path: string) => void }) {
  return (
    <form
      className="site-path"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget).get("path");
        const next = pathOf(typeof typed === "string" ? typed : "", path);
        if (next !== null) go(next);
      }}
    >
      <input key={path} name="path" defaultValue={path} aria-label="Path on the site" spellCheck={false} />
    </form>
  );
}
