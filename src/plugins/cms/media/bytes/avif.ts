import { latin } from "./parts.ts";

/**
 * AVIF is boxes within boxes (ISO/IEC 14496-12), and its items are found by their places in the file (23008-12). So nothing
 * is cut out: the bytes of items that are no picture, EXIF and XMP among them, are written over where they are, and boxes
 * that do not show the picture become free space. A file that cannot be followed throws: its place would be stored with it.
 */

interface Box {
  readonly type: string;
  readonly at: number;
  /** where what is in it begins */
  readonly body: number;
  readonly end: number;
}

interface Item {
  readonly id: number;
  readonly type: string;
}

interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** boxes of one level; a picture of 40 megapixels has a few hundred tiles */
const BOXES_MAX = 2_000;
/** extents of all items of the file */
const EXTENTS_MAX = 4_000;

/** How much of a file may still be read and written over: items of several lists may name the same bytes. */
interface Budget {
  extents: number;
  bytes: number;
}

/** In the file: what the picture is shown with. All others, such as `uuid` with XMP or a short film, are written over. */
const ALLOWED_BOXES = new Set(["ftyp", "meta", "mdat"]);
/** Animations have tracks, which may have a position at any moment. */
const TRACKS = "moov";
const FREE = "free";
/** Metadata items; the others are pictures. Before version 2 items had no type. */
const DESCRIBING = new Set(["Exif", "mime", "uri ", ""]);

/** EXIF data of no facts: where its TIFF file begins, then one whose only directory is empty. */
const NO_EXIF = [0, 0, 0, 0, 0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0];

/** Throws RangeError or TypeError for a file that cannot be followed to its end. */
export function cleanAvif(received: Uint8Array): Uint8Array {
  const bytes = received.slice();
  const view = new DataView(bytes.buffer);
  const boxes = boxesIn(view, 0, bytes.length);
  if (boxes.some((box) => box.type === TRACKS)) throw new TypeError("the picture moves");
  const media = boxes.filter((box) => box.type === "mdat");
  const budget = { extents: EXTENTS_MAX, bytes: bytes.length };
  for (const box of boxes) {
    if (box.type === "meta") cleanMeta(view, box, media, budget);
    if (!ALLOWED_BOXES.has(box.type)) free(bytes, box);
  }
  return bytes;
}

/** Removes the box in place. */
function free(bytes: Uint8Array, { at, body, end }: Box): void {
  bytes.set(new TextEncoder().encode(FREE), at + 4);
  bytes.fill(0, body, end);
}

function boxesIn(view: DataView, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to;) {
    const length = view.getUint32(at);
    const type = latin(new Uint8Array(view.buffer), at + 4, 4);
    const isLong = length === 1;
    const body = at + (isLong ? 16 : 8);
    // 0 means up to the end, which only the last box may have.
    const end = at + (isLong ? Number(view.getBigUint64(at + 8)) : length === 0 ? to - at : length);
    if (end < body || end > to) throw new RangeError("a box is longer than what it is in");
    if (boxes.length === BOXES_MAX) throw new RangeError("too many boxes");
    boxes.push({ type, at, body, end });
    at = end;
  }
  return boxes;
}

function cleanMeta(view: DataView, meta: Box, media: readonly Box[], budget: Budget): void {
  const bytes = new Uint8Array(view.buffer);
  const boxes = boxesIn(view, meta.body + 4, meta.end);
  for (const box of boxes) if (box.type === "uuid") free(bytes, box);
  const [info, ...moreInfo] = boxes.filter((box) => box.type === "iinf");
  const [ranges, ...morePlaces] = boxes.filter((box) => box.type === "iloc");
  if (moreInfo.length > 0 || morePlaces.length > 0) throw new TypeError("two lists of items");
  if (info === undefined) return;
  const describing = itemsIn(view, info).filter((item) => DESCRIBING.has(item.type));
  if (describing.length === 0) return;
  if (ranges === undefined) throw new TypeError("nothing says where the items are");
  const data = boxes.filter((box) => box.type === "idat");
  const found = rangesIn(view, ranges, media, data, budget);
  for (const { id, type } of describing) {
    const extents = found.get(id);
    if (extents === undefined) throw new TypeError("nothing says where an item is");
    budget.bytes -= extents.reduce((sum, { from, to }) => sum + to - from, 0);
    // Extents that overlap would be written again and again.
    if (budget.bytes < 0) throw new TypeError("the items are longer than the file");
    writeOver(bytes, extents, type === "Exif" ? NO_EXIF : []);
  }
}

/** The items of `iinf`, of every version of it and of its entries. */
function itemsIn(view: DataView, { body, end }: Box): Item[] {
  const isShort = view.getUint8(body) === 0;
  const count = isShort ? view.getUint16(body + 4) : view.getUint32(body + 4);
  const entries = boxesIn(view, body + (isShort ? 6 : 8), end);
  if (entries.length !== count) throw new TypeError("the items are not as many as is said");
  return entries.map(({ type, body: at }) => {
    if (type !== "infe") throw new TypeError("an item is none");
    const version = view.getUint8(at);
    if (version < 2) return { id: view.getUint16(at + 4), type: "" };
    const isWide = version > 2;
    const name = latin(new Uint8Array(view.buffer), at + (isWide ? 10 : 8), 4);
    return { id: isWide ? view.getUint32(at + 4) : view.getUint16(at + 4), type: name };
  });
}

const IN_FILE = 0;
const IN_DATA = 1;

/** The byte ranges of each item, from `iloc`. Throws for other than the two usual construction methods. */
function rangesIn(
  view: DataView,
  { body }: Box,
  media: readonly Box[],
  [data]: readonly Box[],
  budget: Budget,
): Map<number, ByteRange[] | undefined> {
  const version = view.getUint8(body);
  if (version > 2) throw new TypeError("a list of places of an unknown version");
  let at = body + 4;
  const next = (size: number): number => {
    const from = at;
    at += size;
    if (size === 0) return 0;
    if (size === 2) return view.getUint16(from);
    if (size === 4) return view.getUint32(from);
    if (size === 8) return Number(view.getBigUint64(from));
    throw new TypeError("a number of no known size");
  };
  const [offsetSize, lengthSize] = nibbles(view.getUint8(at));
  const [baseSize, indexSize] = nibbles(view.getUint8(at + 1));
  at += 2;
  const ranges = new Map<number, ByteRange[] | undefined>();
  for (let items = next(version < 2 ? 2 : 4); items > 0; items--) {
    const id = next(version < 2 ? 2 : 4);
    const method = version === 0 ? IN_FILE : next(2) & 15;
    const isHere = next(2) === 0;
    const base = next(baseSize);
    const extents: ByteRange[] = [];
    let count = next(2);
    if (count > 1 && offsetSize + lengthSize === 0) throw new TypeError("many places, and none is told");
    budget.extents -= Math.max(1, count);
    if (budget.extents < 0) throw new RangeError("too many places");
    for (; count > 0; count--) {
      if (version > 0) next(indexSize);
      const from = base + next(offsetSize);
      const length = next(lengthSize);
      extents.push({ from, to: from + length });
    }
    if (ranges.has(id)) throw new TypeError("an item is at two places");
    ranges.set(id, isHere ? located(extents, method, media, data) : undefined);
  }
  return ranges;
}

const nibbles = (byte: number): [number, number] => [byte >> 4, byte & 15];

/** A range in the file; undefined for a range outside the item data. */
function located(
  extents: readonly ByteRange[],
  method: number,
  media: readonly Box[],
  data: Box | undefined,
): ByteRange[] | undefined {
  const start = method === IN_FILE ? 0 : method === IN_DATA ? data?.body : undefined;
  if (start === undefined) return undefined;
  const remaining = [...(method === IN_FILE ? media : []), ...(data === undefined ? [] : [data])];
  const moved = extents.map(({ from, to }) => ({ from: from + start, to: to + start }));
  const isWithin = ({ from, to }: ByteRange): boolean =>
    from < to && remaining.some((box) => from >= box.body && to <= box.end);
  return moved.every(isWithin) ? moved : undefined;
}

/** Fills the places one behind the other with what means nothing, then with zeros. */
function writeOver(bytes: Uint8Array, ranges: readonly ByteRange[], empty: readonly number[]): void {
  const length = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const filler = length >= empty.length ? empty : [];
  let done = 0;
  for (const { from, to } of ranges)
    for (let at = from; at < to; at++) {
      bytes[at] = filler[done] ?? 0;
      done += 1;
    }
}
