import * as z from "zod";
import { Chance } from "../../sim/platform/chance.ts";
import { entrySchema, watch, type Watcher } from "../clients/log.ts";
import type { Book, Promised } from "./book.ts";

/** People who use a server until it dies: each does one thing after the other, and writes down what was answered. */

const TALK: readonly [string, ...string[]] = [
  "/say Nothing to do.",
  "/call site_overview {}\n/then\n/say Seen.",
  '/call store_memory {"key":"tone","value":"warm"}\n/then\n/call site_overview {}\n/then\n/say Stored.',
  "/wait 300\n/call site_overview {}\n/then\n/say Slow.",
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Tried.',
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"published"}\n/then\n/say Tried.',
  '/call set_status {"targets":[{"type":"page","ref":"contact"}],"to":"unpublished"}\n/then\n/say Tried.',
  '/call set_status {"targets":[{"type":"page","ref":"contact"}],"to":"published"}\n/then\n/say Tried.',
];

const pageSchema = z.object({ items: z.array(entrySchema) });
const madeSchema = z.object({ id: z.string() });
const inboxSchema = z.object({ items: z.array(z.object({ id: z.string(), sessionId: z.string() })) });

export interface Life {
  readonly url: string;
  readonly number: number;
  readonly book: Book;
}

/** So many people in one life. */
export class People {
  readonly #company: Company;
  readonly #over: Promise<unknown>;

  constructor(life: Life, seed: number, count: number) {
    const company: Company = { ...life, watchers: [], tired: false, gone: new AbortController() };
    this.#company = company;
    const persons = Array.from(
      { length: count },
      (_, at) => new Person(company, new Chance(seed * 97 + at), at),
    );
    this.#over = Promise.all(persons.map((person) => person.live()));
    // leave() awaits the result, so ignore a rejection until then.
    this.#over.catch(() => {});
  }

  /** They begin nothing new. What they have asked for may still be answered. */
  tire(): void {
    this.#company.tired = true;
  }

  /** The server is dead: resolves when all have gone; rejects when something was refused that should not have been. */
  async leave(): Promise<void> {
    for (const watcher of this.#company.watchers) watcher.close();
    this.#company.gone.abort();
    await this.#over;
  }
}

interface Company extends Life {
  readonly watchers: Watcher[];
  tired: boolean;
  readonly gone: AbortController;
}

class Person {
  readonly #life: Company;
  readonly #chance: Chance;
  readonly #number: number;
  #sessions = 0;

  constructor(life: Company, chance: Chance, number: number) {
    this.#life = life;
    this.#chance = chance;
    this.#number = number;
  }

  async live(): Promise<void> {
    while (!this.#life.tired) {
      try {
        await this.#doSomething();
      } catch (error) {
        // A dead server answers nothing. What a living one refuses is a fault of this test.
        if (error instanceof Refused) throw error;
      }
    }
  }

  #doSomething(): Promise<void> {
    const chance = this.#chance;
    const name = this.#pick();
    if (name === null || chance.once(4)) return this.#begin();
    switch (chance.below(9)) {
      case 0:
        return this.#read(name);
      case 1:
        return this.#stream(name);
      case 2:
        return this.#fork(name);
      case 3:
        return this.#import(name);
      case 4:
        return this.#schedule(name);
      case 5:
        return this.#remove(name);
      case 6:
        return this.#decide();
      default:
        return this.#talk(name);
    }
  }

  #pick(): string | null {
    const [first, ...rest] = this.#life.book.livingOf(this.#number).slice(-6);
    return first === undefined ? null : this.#chance.pick([first, ...rest]);
  }

  async #begin(): Promise<void> {
    this.#sessions += 1;
    const name = `k${this.#life.number}-${this.#number}-${this.#sessions}`;
    await this.#talk(name);
    const { url, book, gone, watchers } = this.#life;
    const promised = book.of(name);
    const watching = watch(url, name, (entry) => promised.show(entry, "socket"));
    const left = new Promise<null>((resolve) => gone.signal.addEventListener("abort", () => resolve(null)));
    const watcher = await Promise.race([watching, left]);
    if (watcher !== null) watchers.push(watcher);
    else
      void watching.then(
        (late) => late.close(),
        () => {},
      );
  }

  async #talk(name: string): Promise<void> {
    const id = `m-${crypto.randomUUID()}`;
    const response = await this.#post(`/api/sessions/${name}/messages`, {
      id,
      text: this.#chance.pick(TALK),
    });
    expectStatus(response, [202, 429]);
    if (response.status === 202) this.#made(name).entries.push(["user_message", "id", id]);
  }

  async #read(name: string): Promise<void> {
    const response = await this.#get(`/api/sessions/${name}/events?limit=1000`);
    expectStatus(response, [200]);
    const promised = this.#life.book.of(name);
    for (const entry of pageSchema.parse(await response.json()).items) promised.show(entry, "http");
  }

  async #stream(name: string): Promise<void> {
    const response = await this.#get(`/api/sessions/${name}/events?until=idle`, "text/event-stream");
    expectStatus(response, [200]);
    if (response.body === null) return;
    const promised = this.#life.book.of(name);
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + piece).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (data !== undefined) promised.show(entrySchema.parse(JSON.parse(data)), "stream");
      }
    }
  }

  async #fork(name: string): Promise<void> {
    const response = await this.#post(`/api/sessions/${name}/fork`, {});
    expectStatus(response, [201]);
    this.#made(madeSchema.parse(await response.json()).id);
  }

  async #import(name: string): Promise<void> {
    const file = await this.#get(`/api/sessions/${name}/export`);
    expectStatus(file, [200]);
    const key = `i-${crypto.randomUUID()}`;
    const response = await this.#post("/api/sessions/import", await file.json(), { "idempotency-key": key });
    expectStatus(response, [201]);
    this.#made(madeSchema.parse(await response.json()).id);
  }

  async #schedule(name: string): Promise<void> {
    const response = await this.#post(`/api/sessions/${name}/schedules`, {
      text: "/say Again.",
      everyMs: 60_000,
    });
    expectStatus(response, [201, 422, 429]);
    if (response.status !== 201) return;
    this.#life.book.of(name).schedules.add(madeSchema.parse(await response.json()).id);
  }

  async #remove(name: string): Promise<void> {
    const promised = this.#life.book.of(name);
    promised.deletion = "asked";
    const response = await this.#ask(`/api/sessions/${name}`, { method: "DELETE" });
    expectStatus(response, [204]);
    promised.deletion = "answered";
  }

  /** Decides some approval of the inbox. */
  async #decide(): Promise<void> {
    const inbox = await this.#get("/api/approvals?state=pending");
    expectStatus(inbox, [200]);
    const [first, ...rest] = inboxSchema.parse(await inbox.json()).items;
    if (first === undefined) return;
    const { id, sessionId } = this.#chance.pick([first, ...rest]);
    const decision = this.#chance.pick(["approve", "deny"]);
    const response = await this.#post(`/api/sessions/${sessionId}/approvals/${id}`, { decision });
    expectStatus(response, [200, 404, 409, 410]);
    if (response.status === 200)
      this.#life.book.of(sessionId).entries.push(["approval_decided", "approval", id]);
  }

  #made(name: string): Promised {
    return this.#life.book.make(name, this.#number);
  }

  #get(path: string, accept = "application/json"): Promise<Response> {
    return this.#ask(path, { headers: { accept } });
  }

  #post(path: string, body: unknown, headers: { readonly [name: string]: string } = {}): Promise<Response> {
    return this.#ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#life.url}${path}`, { ...init, signal: this.#life.gone.signal });
  }
}

class Refused extends Error {}

/** A 5xx may be the last word of a server that is being killed. */
function expectStatus(response: Response, allowed: readonly number[]): void {
  if (allowed.includes(response.status)) return;
  if (response.status >= 500) throw new Error(`the server said ${response.status}`);
  throw new Refused(`${response.status} for ${response.url}`);
}
