import type { Node } from "acorn";
import { loadAcorn } from "../../../build/modules/javascript.ts";
import { err, ok, type Result } from "../../cairn/core/log/result.ts";
import type { CodeResult } from "./result.ts";

/**
 * Inserts a call at each turn of a loop and at each start of a function, so that endless code can be stopped from
 * within: a local runtime does not limit processor time. No line moves. It is no security boundary: that is the
 * worker which the code runs in.
 */

/** The inserted call; an unlikely name in user code. */
export const STEP = "__cairn_step";

const LOOPS = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const MODULE_ONLY = /^(?:Import|Export)\w*Declaration$/;

type Failed = NonNullable<CodeResult["failed"]>;

/** The code with its steps, or what is wrong with its syntax. */
export async function withSteps(code: string): Promise<Result<string, Failed>> {
  const { parse } = await loadAcorn();
  let program: ReturnType<typeof parse>;
  try {
    program = parse(code, {
      ecmaVersion: "latest",
      sourceType: "module",
      locations: true,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    });
  } catch (error) {
    return err(syntaxFault(error));
  }
  const module = program.body.find(({ type }) => MODULE_ONLY.test(type));
  if (module !== undefined)
    return err({
      message:
        "It is the body of a function: no import and no export stands in it, and there are no packages.",
      line: module.loc?.start.line ?? null,
    });
  const marks: Mark[] = [];
  collect(program, marks);
  return ok(inserted(code, marks));
}

function syntaxFault(error: unknown): Failed {
  if (!(error instanceof SyntaxError)) throw error;
  const { loc } = error as SyntaxError & { readonly loc?: { readonly line: number } };
  return { message: `SyntaxError: ${error.message.replace(/ \(\d+:\d+\)$/, "")}`, line: loc?.line ?? null };
}

interface Mark {
  readonly at: number;
  readonly text: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** With an explicit stack: code may be nested deeper than the runtime's call stack. */
function collect(root: Node, marks: Mark[]): void {
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const body = "body" in node && isNode(node.body) ? node.body : null;
    if (body !== null && (LOOPS.has(node.type) || FUNCTIONS.has(node.type))) mark(body, marks);
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) open.push(...child.filter(isNode));
      else if (isNode(child)) open.push(child);
    }
  }
}

function mark(body: Node, marks: Mark[]): void {
  const isBlock = body.type === "BlockStatement";
  const isStatement = isBlock || body.type.endsWith("Statement");
  if (isBlock) marks.push({ at: body.start + 1, text: `${STEP}();` });
  else if (isStatement) marks.push({ at: body.start, text: `{${STEP}();` }, { at: body.end, text: "}" });
  else marks.push({ at: body.start, text: `(${STEP}(),` }, { at: body.end, text: ")" });
}

/** Opening marks at one offset are ordered from outside to inside, closing ones the other way round. */
function inserted(code: string, marks: readonly Mark[]): string {
  const closes = ({ text }: Mark): boolean => text === "}" || text === ")";
  const byOffset = new Map<number, { open: string; close: string }>();
  for (const one of marks) {
    const inserts = byOffset.get(one.at) ?? { open: "", close: "" };
    if (closes(one)) inserts.close = one.text + inserts.close;
    else inserts.open += one.text;
    byOffset.set(one.at, inserts);
  }
  let text = "";
  let last = 0;
  for (const [at, { open, close }] of [...byOffset].sort(([a], [b]) => a - b)) {
    text += code.slice(last, at) + close + open;
    last = at;
  }
  return text + code.slice(last);
}
