import { err, ok } from "../../core/log/result.ts";
import { localRun, runId } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { sharedMessage, type SharedByMaker } from "../../protocol/shared.ts";
import { uiMessages } from "../../protocol/stream/messages.ts";
import type { UiMessage } from "../../protocol/stream/ui-chunk.ts";
import type { Engine } from "../engine/engine.ts";
import type { Meta, StoredShare } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import { KEY_CONFLICT, NO_RUN, NO_SHARE, NOT_FOUND, SHARES_FULL } from "../api/errors.ts";
import { loadMessages, loadRun, MESSAGES_SHOWN, readableBy, type Log } from "../api/log-reader.ts";
import type { Actor, ApiResult, ShareCommand, ShareView } from "../api/session-api.ts";

export interface SharesDeps {
  readonly session: string;
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly clock: () => number;
}

/** Links that are read at one time. */
const SHARES_MAX = 20;

/** Read-only links: what each shows, until when, and taking it back. The worker signs them, so it knows their addresses. */
export class Shares {
  readonly #deps: SharesDeps;

  constructor(deps: SharesDeps) {
    this.#deps = deps;
  }

  /**
   * The same request again is the same link, as long as the link holds. Its id is drawn and not derived from the request: a
   * link that was taken back, or whose session was deleted, stays dead when the request is sent again.
   */
  share(actor: Actor, { id: request, run: asked, expiresAt }: ShareCommand): ApiResult<ShareView> {
    const { session, store, engine, clock } = this.#deps;
    const meta = store.loadMeta();
    if (meta === null) return err(NOT_FOUND);
    const run = asked === null ? null : (localRun(session, asked) ?? asked);
    if (run !== null && loadRun(store, this.#state(), run).length === 0) return err(NO_RUN);
    const live = this.#live(meta);
    const known = live.find((share) => (share.request ?? share.id) === request);
    if (known !== undefined) return known.run === run ? ok(this.#view(known)) : err(KEY_CONFLICT);
    if (live.length >= SHARES_MAX) return err(SHARES_FULL);
    const id = `shr_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
    const share: StoredShare = {
      id,
      request,
      run,
      by: actor.subject,
      ...(actor.grant === undefined ? {} : { grant: actor.grant }),
      createdAt: clock(),
      expiresAt,
    };
    engine.rearm(() => store.saveMeta({ ...meta, shares: [...live, share] }));
    return ok(this.#view(share));
  }

  /** Those that still hold, the oldest first. */
  shares(_actor: Actor): ApiResult<{ readonly items: readonly ShareView[] }> {
    const meta = this.#deps.store.loadMeta();
    if (meta === null) return err(NOT_FOUND);
    return ok({ items: this.#live(meta).map((share) => this.#view(share)) });
  }

  unshare(_actor: Actor, id: string): ApiResult<null> {
    const { store, engine } = this.#deps;
    const meta = store.loadMeta();
    const live = meta === null ? [] : this.#live(meta);
    if (meta === null || !live.some((share) => share.id === id)) return err(NO_SHARE);
    engine.rearm(() => store.saveMeta({ ...meta, shares: live.filter((share) => share.id !== id) }));
    return ok(null);
  }

  /**
   * Returns the view for the holder of a link: messages, answers and receipts; no arguments, thoughts, memory or names.
   */
  shared(_actor: Actor, id: string): ApiResult<SharedByMaker> {
    const { session, store } = this.#deps;
    const meta = store.loadMeta();
    const share = meta === null ? undefined : this.#live(meta).find((each) => each.id === id);
    if (meta === null || share === undefined) return err(NO_SHARE);
    const { cleared } = this.#state();
    const page =
      share.run === null
        ? loadMessages(this.#log(), session, cleared, MESSAGES_SHOWN)
        : { items: this.#messagesOf(share.run), more: false };
    const { run, expiresAt } = this.#view(share);
    // The title may be the first words of another run.
    return ok({
      title: run === null ? meta.title : "",
      run,
      expiresAt,
      more: page.more,
      items: page.items.map(sharedMessage),
      maker: { subject: share.by, grant: share.grant ?? null, owner: share.by === meta.owner },
    });
  }

  #messagesOf(run: string): readonly UiMessage[] {
    const { session } = this.#deps;
    const state = this.#state();
    const log = this.#log();
    const entries = loadRun(log, state, run);
    const [queued] = entries;
    if (queued?.kind !== "run_queued") return [];
    const { inputSeq } = queued.body;
    return uiMessages(session, [...log.entriesBetween(inputSeq, inputSeq), ...entries], state.cleared);
  }

  /** The holder of a link is no admin. */
  #log(): Log {
    return readableBy({ scopes: [] }, this.#deps.store, this.#state());
  }

  #live({ shares = [] }: Meta): readonly StoredShare[] {
    const at = this.#deps.clock();
    return shares.filter((share) => share.expiresAt > at);
  }

  #view({ id, run, by, createdAt, expiresAt }: StoredShare): ShareView {
    return {
      id,
      by,
      run: run === null ? null : runId(this.#deps.session, run),
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  #state(): State {
    return this.#deps.engine.log.state();
  }
}
