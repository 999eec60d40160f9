import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LIBRARY } from "../places.ts";

/**
 * Makes `build/modules/pdfjs.mjs`: pdf.js from the package unpdf, with a budget. pdf.js has no limit within a page,
 * no timer fires while it parses one, and a Worker's clock does not advance meanwhile. So its loops count their
 * steps, and throw once the budget is spent. pdf.js then ends each content stream with the text so far.
 */

const FROM = path.join(LIBRARY, "node_modules/unpdf/dist/pdfjs.mjs");
export const PDF_READER_FILE = path.join(LIBRARY, "build/modules/pdfjs.mjs");

/** Steps left of all documents together. A negative number of steps, from a range that is empty, is none. */
const BUDGET = `let stepsLeft=Infinity;
export const limitSteps=(steps)=>{stepsLeft=steps};
export const addSteps=(steps)=>{stepsLeft+=steps};
export const areStepsSpent=()=>stepsLeft<0;
const isSpent=(steps)=>(stepsLeft-=steps)<0;
function spend(steps){if(steps>0&&isSpent(steps))throw Error("the PDF takes too many steps")}
`;

/** Each code fragment appears in pdf.js exactly once; `§` marks where the call goes. */
const CHARGES: readonly (readonly [charge: string, place: string])[] = [
  // a token of a content stream, an object or a CMap, and its bytes. Their end comes early: not every loop ends at an error.
  ["isSpent(1);", "getObj(){§let e=!1,t=this.currentChar;"],
  ["isSpent(.25)?-1:", "nextChar(){return this.currentChar=§this.stream.getByte()}peekChar()"],
  // a content stream or form that begins or goes on
  ["spend(20);", "reset(){§this.endTime=Date.now()"],
  // signs of a text, also of one whose glyphs are known
  ["spend(e.length);", "charsToGlyphs(e){§let t=this.#e.get(e);"],
  // a font that is looked up, and one that is made, which takes milliseconds
  ["isSpent(200);", "loadFont(e,t,n,r,i=null,a=null,o=null){§let errorFont="],
  ["spend(4e3);", "extractWidths(e,t,n){§let r=this.xref,"],
  // bytes that a filter or a cipher unpacks: 32 for a step
  ["spend((n-t.byteLength)/32);", "for(;n<e;)n*=2;§let r=new Uint8Array(n);return r.set(t),this.buffer=r"],
  ["spend(e.byteLength/32),", "for await(let e of n)§a.push(e),o+=e.byteLength;let s=new Uint8Array(o)"],
  // Brotli is unpacked as a whole, and few PDFs have it.
  ['throw Error("Brotli is not read");', "readBlock(){§let e=this.stream.getBytes(),t=Ge("],
  // ranges of a CMap, of the widths of a font, and of the character map of a TrueType font
  ["spend(t-e);", "mapCidRange(e,t,n){§if(t-e>"],
  ["spend(t-e);", "mapBfRange(e,t,n){§if(t-e>"],
  ["spend(n-t);", "continue;§for(let e=t;e<=n;e++)i[e]=a"],
  ["spend(i-t);", "continue;§for(let e=t;e<=i;e++)o[e]=a"],
  ["spend(i.entryCount),", "for(§f=0;f<i.entryCount;f++)"],
  ["spend(e-a),", "for(§s=i.offsetIndex,f=a;f<=e;f++)"],
  ["spend(1);spend(n-e);", "§for(let t=e;t<=n;t++)d.push({charCode:t,"],
  // entries of a table of objects, which may take no bytes, and a search for objects in a damaged file
  ["spend(1);", "t.entryNum=a,t.streamPos=e.pos;§let s=0"],
  ["spend(1),", "!(++t>=e.length);)§n+=String.fromCharCode(r),r=e[t];return n"],
];

/** Throws if a fragment of CHARGES does not appear in the source exactly once: a new pdf.js needs a review. */
export function withBudget(source: string): string {
  let bounded = source;
  for (const [charge, marked] of CHARGES) {
    const code = marked.replace("§", "");
    if (bounded.split(code).length !== 2)
      throw new Error(`pdf.js has changed: this stands in it not exactly once: ${code}`);
    bounded = bounded.replace(code, () => marked.replace("§", charge));
  }
  return BUDGET + bounded;
}

/** A file aside takes the place of the last one, because two servers may start at once. */
export function buildPdfReader(): void {
  const aside = `${PDF_READER_FILE}.${process.pid}`;
  writeFileSync(aside, withBudget(readFileSync(FROM, "utf8")));
  renameSync(aside, PDF_READER_FILE);
}
