import type { Entry } from "../core/log/entry.ts";
import type { State } from "../core/state/state.ts";
import type { Redact } from "../core/text/redact.ts";
import type { People } from "../config/rights.ts";
import type { Background } from "./engine/ports.ts";
import type { PeopleReader } from "./background/notes.ts";
import type { Deliveries, SessionOutbox } from "./background/outbox.ts";
import type { Disk } from "./storage/store.ts";

/** A session, seen from the part that a plugin has in it. */
export interface SessionHost {
  /** name of the session */
  readonly session: string;
  /** bindings and variables: a plugin takes what it knows */
  readonly env: object;
  /** the SQLite of the session */
  readonly disk: Disk;
  readonly clock: () => number;
  readonly redact: Redact;
  readonly outbox: SessionOutbox;
  /** who may log in, which determines present rights; null: no rights can end */
  readonly people: People | null;
  /** when the session was made, milliseconds since 1970; null where it does not exist any more */
  createdAt(): number | null;
  /** owner of the session; null without one */
  owner(): string | null;
  /** time zone of the session's person; null where it is not known */
  zone(): string | null;
  /** present state of the session */
  state(): State;
  /** entries of one run, in log order; `state`: after its last entry */
  entriesOf(run: string, state: State): readonly Entry[];
  /** One transaction of the session, after which its alarm is armed anew. No await inside. */
  transaction<Result>(body: () => Result): Result;
}

/**
 * A plugin's part of one session. Its methods are called when the session is whole, not while it is made. A throw is reported
 * and stops nothing else.
 */
export interface SessionPart extends Partial<Background> {
  /** Reads what is needed outside. Called before each wake, which waits for it; after a throw the part rests for a while. */
  readonly loadDue?: (at: number) => Promise<void>;
  /** Called after the transaction of these entries; not awaited. */
  readonly committed?: (entries: readonly Entry[], state: State) => void;
  /** Delivers the rows that it has put into the outbox. */
  readonly deliveries?: Deliveries;
  /** notification settings of people: of one part of a session */
  readonly people?: PeopleReader;
  /** targets, by their names as text, that unattended runs may write to */
  readonly reachable?: readonly string[];
}
