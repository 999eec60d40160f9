import { readMarkup, type MarkupHandler } from "./markup.ts";

/**
 * Declarative shadow roots: a reader sees the flattened tree (https://dom.spec.whatwg.org/#shadow-trees). The content
 * of a `<template shadowrootmode>` replaces the children of its host; each `<slot>` shows the children of the host that
 * have its name, or else its own content; children without a slot are not shown.
 *
 * The events of a host are recorded until it closes and then passed on in the order of the flattened tree. No event is
 * passed on twice, so the work grows with the length of the page.
 */

/** Elements that can be hosts; others are custom elements, whose names have a hyphen. */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

type Attributes = ReadonlyMap<string, string>;

type Event =
  | { readonly kind: "open"; readonly name: string; readonly attributes: Attributes }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string }
  /** the events of a host, in place of its children */
  | { readonly kind: "host"; readonly host: Host };

interface Host {
  readonly shadow: Event[];
  /** children by the name of their slot */
  readonly slotted: Map<string, Event[]>;
}

/** Reads a page as a person sees it. True where all of it was read. */
export function readFlattened(html: string, handler: MarkupHandler): boolean {
  if (!/shadowrootmode/i.test(html)) return readMarkup(html, handler, "html");
  const finder = new HostFinder();
  readMarkup(html, finder, "html");
  return readMarkup(html, new Flattener(handler, finder.hosts), "html");
}

const isShadowRoot = (name: string, attributes: Attributes, host: string | undefined): boolean =>
  name === "template" &&
  /^(?:open|closed)$/i.test(attributes.get("shadowrootmode") ?? "") &&
  host !== undefined &&
  (HOSTS.has(host) || host.includes("-"));

/** Finds the hosts of a page by index among its elements, because their children may precede the template. */
class HostFinder implements MarkupHandler {
  readonly hosts = new Set<number>();
  readonly #open: { readonly name: string; readonly index: number; isInert: boolean }[] = [];
  #elements = 0;

  open(name: string, attributes: Attributes): void {
    const index = this.#elements++;
    const parent = this.#open.at(-1);
    const isRoot = parent?.isInert === false && isShadowRoot(name, attributes, parent.name);
    const isFirst = isRoot && !this.hosts.has(parent.index);
    if (isFirst) this.hosts.add(parent.index);
    // The content of another template is not part of the page.
    const isInert = parent?.isInert === true || (name === "template" && !isFirst);
    this.#open.push({ name, index: index, isInert });
  }

  close(): void {
    this.#open.pop();
  }
}

interface Frame {
  readonly name: string;
  /** where the events inside of it go: null where they are passed on */
  readonly into: Event[] | null;
  /** set where the element is a host */
  readonly host: Host | null;
  /** the template of a shadow root, which has no event */
  readonly isRoot: boolean;
}

class Flattener implements MarkupHandler {
  readonly #handler: MarkupHandler;
  readonly #hosts: ReadonlySet<number>;
  readonly #open: Frame[] = [];
  readonly #rooted = new Set<Host>();
  #elements = 0;

  constructor(handler: MarkupHandler, hosts: ReadonlySet<number>) {
    this.#handler = handler;
    this.#hosts = hosts;
  }

  open(name: string, attributes: Attributes): void {
    const index = this.#elements++;
    const parent = this.#open.at(-1);
    const host = parent?.host ?? null;
    if (host !== null && !this.#rooted.has(host) && isShadowRoot(name, attributes, parent?.name)) {
      this.#rooted.add(host);
      this.#open.push({ name, into: host.shadow, host: null, isRoot: true });
      return;
    }
    const into = host === null ? (parent?.into ?? null) : eventsOf(host, attributes.get("slot") ?? "");
    this.#put(into, { kind: "open", name, attributes });
    const own = this.#hosts.has(index) ? { shadow: [], slotted: new Map<string, Event[]>() } : null;
    if (own !== null && into !== null) into.push({ kind: "host", host: own });
    this.#open.push({ name, into, host: own, isRoot: false });
  }

  close(name: string): void {
    const frame = this.#open.pop();
    if (frame === undefined || frame.isRoot) return;
    // A host inside of another one is passed on with that one.
    if (frame.host !== null && frame.into === null) this.#pass(frame.host);
    this.#put(frame.into, { kind: "close", name });
  }

  text(text: string): void {
    const parent = this.#open.at(-1);
    const into = parent === undefined ? null : parent.host === null ? parent.into : eventsOf(parent.host, "");
    this.#put(into, { kind: "text", text });
  }

  isDone(): boolean {
    return this.#handler.isDone?.() ?? false;
  }

  #put(into: Event[] | null, event: Event): void {
    if (into === null) this.#emit(event);
    else into.push(event);
  }

  #emit(event: Event): void {
    if (event.kind === "open") this.#handler.open(event.name, event.attributes);
    else if (event.kind === "close") this.#handler.close?.(event.name);
    else if (event.kind === "text") this.#handler.text?.(event.text);
  }

  /** The events of a host, with its slots filled. Hosts lie inside of each other, so the places to go on from are a stack. */
  #pass(outermost: Host): void {
    /** the host whose shadow tree a host is in; null: that of the document */
    const trees = new Map<Host, Host | null>([[outermost, null]]);
    const stack: Cursor[] = [{ events: outermost.shadow, at: 0, tree: outermost }];
    for (let cursor = stack.at(-1); cursor !== undefined && !this.isDone(); cursor = stack.at(-1)) {
      const { events, tree } = cursor;
      const event = events[cursor.at++];
      if (event === undefined) stack.pop();
      else if (event.kind === "host") {
        trees.set(event.host, tree);
        stack.push({ events: event.host.shadow, at: 0, tree: event.host });
      } else {
        // The slot itself is shown as an element: one that is hidden hides its children.
        this.#emit(event);
        const fill = event.kind === "open" && event.name === "slot" ? fillOf(tree, event.attributes) : null;
        if (fill === null || tree === null) continue;
        cursor.at = endOf(events, cursor.at);
        stack.push({ events: fill, at: 0, tree: trees.get(tree) ?? null });
      }
    }
  }
}

/** Where passing on goes on. */
interface Cursor {
  readonly events: readonly Event[];
  at: number;
  /** the host whose shadow tree the events are in; null: they are in the document */
  readonly tree: Host | null;
}

function eventsOf({ slotted }: Host, slot: string): Event[] {
  const known = slotted.get(slot);
  if (known !== undefined) return known;
  const events: Event[] = [];
  slotted.set(slot, events);
  return events;
}

/** The children that a slot shows: the first slot of a name shows them all. Null where it shows its own content. */
function fillOf(tree: Host | null, attributes: Attributes): readonly Event[] | null {
  const name = attributes.get("name") ?? "";
  const events = tree?.slotted.get(name) ?? null;
  tree?.slotted.delete(name);
  return events;
}

/** The place of the event that closes the element that was opened before `from`. */
function endOf(events: readonly Event[], from: number): number {
  let depth = 0;
  for (let at = from; at < events.length; at++) {
    const kind = events[at]?.kind;
    if (kind === "open") depth++;
    else if (kind === "close" && depth-- === 0) return at;
  }
  return events.length;
}
