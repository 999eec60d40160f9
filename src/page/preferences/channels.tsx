import { useRef, useState } from "react";
import type { ChannelAnswer } from "../../plugins/channels/protocol/answers.ts";
import { ask, useAnswer } from "../api.ts";
import { channelName } from "../parts/channel-words.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Failed } from "../parts/failed.tsx";
import { dateText, useNow } from "../parts/time.tsx";
import { useAct } from "../parts/use-act.ts";
import { useToast } from "../parts/toasts.tsx";
import { useMay } from "../who.tsx";
import { BlockedChats } from "./notify/blocked.tsx";
import { Notify } from "./notify/notify.tsx";
import { Push } from "./push.tsx";

type Link = ChannelAnswer<"Links">["items"][number];
type Code = ChannelAnswer<"LinkCode">;

/** Turned on in each browser, and linked by no code. */
const isPush = (channel: string): boolean => channel === "webpush";

/** The channels of this deployment, and the person's links to them. */
export function Channels() {
  const channels = useAnswer<ChannelAnswer<"Channels">>("/api/channels");
  const links = useAnswer<ChannelAnswer<"Links">>("/api/links");
  const mayLink = useMay("send");
  const heading = useRef<HTMLHeadingElement>(null);
  // This page and webhooks are no channels to link.
  const items = (channels.data?.items ?? []).filter(({ name }) => name !== "web" && name !== "webhook");
  // A browser is linked by its subscription, without a code.
  const isLinkable = items.some(({ name, configured }) => configured && !isPush(name));
  const fault = channels.error ?? links.error;
  // A deployment without the plugin of channels has no such routes.
  if (channels.error?.status === 404) return null;
  const isLoading = channels.data === undefined || links.data === undefined;
  const again = (): void => void Promise.all([channels.mutate(), links.mutate()]);
  return (
    <section
      className="preferences-channels"
      aria-labelledby="preferences-channels"
      aria-busy={isLoading && fault === undefined}
    >
      <h2 id="preferences-channels" ref={heading} tabIndex={-1}>
        Channels
      </h2>
      <p className="soft small">Other places to chat and approve.</p>
      {fault === undefined ? null : <Failed failure={fault} again={again} />}
      <BlockedChats />
      <ul className="preferences-tools">
        {items.map(({ name, configured, missing }) => (
          <li key={name}>
            <strong>{channelName(name)}</strong>
            <span className="tag">{configured ? "Set up" : "Not set up"}</span>
            {configured ? null : (
              <p className="soft small">
                An admin needs to set {missing.join(" and ")}: see docs/channels.md of Cairn.
              </p>
            )}
            {configured && isPush(name) ? <Push /> : null}
          </li>
        ))}
      </ul>
      {mayLink && isLinkable ? <NewLink look={() => links.mutate()} /> : null}
      <Links
        links={links.data?.items.filter(({ channel }) => !isPush(channel)) ?? null}
        look={() => links.mutate()}
        heading={heading}
      />
      {items.some(({ configured }) => configured) ? <Notify /> : null}
    </section>
  );
}

const MINUTE_SECONDS = 60;
/** "9:05" */
const clockText = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / MINUTE_SECONDS)}:${String(seconds % MINUTE_SECONDS).padStart(2, "0")}`;
};

function NewLink({ look }: { look: () => Promise<unknown> }) {
  const { busy, fault, run } = useAct();
  const [code, setCode] = useState<Code | null>(null);
  const make = (): Promise<boolean> =>
    run(async () => setCode(await ask<Code>("/api/links", { method: "POST" })));
  return (
    <div className="preferences-link">
      <button className="button" disabled={busy} onClick={() => void make()}>
        {code === null ? "Link a channel" : "Make another code"}
      </button>
      {fault === null ? null : <p role="alert">{fault}</p>}
      {code === null ? null : <ShownCode key={code.code} code={code} look={look} />}
    </div>
  );
}

/** The linking code, until it expires. */
function ShownCode({ code: { code, expiresAt, open }, look }: { code: Code; look: () => Promise<unknown> }) {
  const left = Date.parse(expiresAt) - useNow(1_000);
  const words = `/link ${code}`;
  if (left <= 0) return <p role="status">This code has expired. Create a new one.</p>;
  return (
    <>
      {open.map(({ channel, url }) => (
        <a key={channel} className="button primary" href={url} target="_blank" rel="noreferrer">
          <Icon name="open" /> Open {channelName(channel)}
        </a>
      ))}
      <p role="status">
        {open.length === 0 ? "Write this to the bot" : "There, choose Start. Or write this to the bot"}, in a
        chat with it alone. It works once.
      </p>
      <p className="preferences-code">
        <code>{words}</code>
        <CopyButton text={() => words} label="Copy the words" />
        <span className="soft small">{clockText(left)} left</span>
      </p>
      <button className="button quiet" onClick={() => void look()}>
        I have written it
      </button>
    </>
  );
}

interface LinksProps {
  /** null while it is not known */
  readonly links: readonly Link[] | null;
  readonly look: () => Promise<unknown>;
  readonly heading: { readonly current: HTMLElement | null };
}

function Links({ links, look, heading }: LinksProps) {
  const showToast = useToast();
  const mayLink = useMay("send");
  const { busy, fault, run } = useAct();
  const end = async ({ channel, userId }: Link): Promise<void> => {
    const path = `/api/links/${encodeURIComponent(channel)}/${encodeURIComponent(userId)}`;
    if (!(await run(() => ask(path, { method: "DELETE" })))) return;
    await look();
    heading.current?.focus();
    showToast("Unlinked.");
  };
  if (links === null) return null;
  if (links.length === 0) return <p className="soft">No linked accounts.</p>;
  return (
    <>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <ul className="preferences-tools" aria-label="Your links">
        {links.map((link) => (
          <li key={`${link.channel} ${link.userId}`} className="preferences-linked">
            <span>
              <strong dir="auto">{link.userName ?? link.userId}</strong> on {channelName(link.channel)}
              <span className="soft small">
                {" "}
                since <time dateTime={link.linkedAt}>{dateText(link.linkedAt)}</time>
                {link.ended ? ". Its access has ended: link it again." : null}
              </span>
            </span>
            {mayLink ? (
              <button
                className="button"
                disabled={busy}
                aria-label={`End the link of ${link.userName ?? link.userId} on ${channelName(link.channel)}`}
                onClick={() => void end(link)}
              >
                End
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}
