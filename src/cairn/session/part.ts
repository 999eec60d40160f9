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
  /** who may log in, which decides whose rights hold; null: nobody's rights end */
  readonly people: People | null;
  /** when the session was made, milliseconds since 1970; null where it does not exist any more */
  createdAt(): number | null;
  /** of the session; null while nobody owns it */
  owner(): string | null;
  /** time zone of the session's person; null where it is not known */
  zone(): string | null;
  /** as the session stands */
  state(): State;
  /** of one run, in the order of the log; `state`: as it stands after its last entry */
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
  /** Entries were committed. Called after their transaction; nobody waits for it. */
  readonly committed?: (entries: readonly Entry[], state: State) => void;
  /** Delivers the rows that it has put into the outbox. */
  readonly deliveries?: Deliveries;
  /** how and where people are told: of one part of a session */
  readonly people?: PeopleReader;
  /** addresses by their names as text that runs which nobody asked for may write to without a person */
  readonly reachable?: readonly string[];
}
