import * as z from "zod";
import type { Json } from "../../../cairn/core/log/json.ts";
import { json } from "../../../cairn/protocol/json.ts";
import { fieldsOf, withField } from "./argument-fields.ts";
import { approvalChunk, type Approval } from "../chunks.ts";
import { AS_CHANGED, decisionOf, parseObject, parseReply, QUESTION, type Choice } from "./reply.ts";
import type { Answered } from "../session-request.ts";

/** The parts of a terminal that an approval needs. */
export interface ApprovalPrompt {
  /** reads a line; null without a person; rejects when the signal fires */
  ask(prompt: string, signal: AbortSignal, prefill?: string): Promise<string | null>;
  print(text: string): void;
  /** the text as the person's own editor left it, or null when it failed; null where there is no editor */
  readonly editor: ((text: string) => Promise<string | null>) | null;
  /** what the call would do with other arguments; decides nothing */
  preview(approval: string, args: Json): Promise<Answered>;
  /** the approval as it would be with them */
  showChanged(approval: Approval): void;
}

/** The whole preview comes from the response: nothing of the earlier card may remain in the changed one. */
const previewed = approvalChunk
  .pick({ title: true, summary: true, impact: true, warnings: true, changes: true, batch: true })
  .extend({ args: json, digest: z.string() });

/** The person's decision, or null without a person. Rejects when the signal fires. */
export async function choose(
  approval: Approval,
  prompt: ApprovalPrompt,
  signal: AbortSignal,
): Promise<Choice | null> {
  // The edited arguments are remembered, so that a typo is corrected and not typed anew.
  let draft: Json = approval.args;
  /** shown, and not yet agreed to */
  let changed: Approval | null = null;
  for (;;) {
    const line = await prompt.ask(changed === null ? QUESTION : AS_CHANGED, signal);
    if (line === null) return null;
    const reply = parseReply(line);
    if (reply.decision === "edit") {
      const wanted =
        reply.args === null ? await typedArguments(draft, prompt, signal) : parseObject(reply.args);
      signal.throwIfAborted();
      if (wanted === null) prompt.print(NO_OBJECT);
      changed = null;
      if (wanted === null) continue;
      draft = wanted;
      changed = await previewEdit(approval, draft, prompt);
      signal.throwIfAborted();
    } else if (changed !== null && reply.decision === "approve" && reply.remember === undefined) {
      return { decision: "edit", args: changed.args };
    } else if (changed !== null) {
      changed = null;
      prompt.print("Not changed: it is asked as before.");
    } else {
      const choice = decisionOf(reply, approval.remember ?? []);
      if (typeof choice !== "string") return choice;
      prompt.print(choice);
    }
  }
}

const NO_OBJECT = 'That is no JSON object. It looks like {"name":"value"}.';

/** Shows the effect of the edited arguments; null, with a printed reason, if they are invalid. */
async function previewEdit(approval: Approval, args: Json, prompt: ApprovalPrompt): Promise<Approval | null> {
  const answer = await prompt.preview(approval.id, args);
  if (!answer.ok) {
    prompt.print(
      [answer.why.text, ...answer.why.issues.map(({ path, message }) => `${path}: ${message}`)].join("\n"),
    );
    return null;
  }
  const shown = previewed.safeParse(answer.body);
  if (!shown.success) {
    prompt.print("The server described the change in a way that this client does not know.");
    return null;
  }
  const { warnings = [], changes = [], batch = null } = shown.data;
  const changed = { ...approval, ...shown.data, warnings, changes, batch };
  prompt.showChanged(changed);
  return changed;
}

/** The arguments as the person wants them: in their editor, or value by value. Null when it is no JSON object. */
async function typedArguments(args: Json, prompt: ApprovalPrompt, signal: AbortSignal): Promise<Json> {
  if (prompt.editor !== null) return parseObject((await prompt.editor(JSON.stringify(args, null, 2))) ?? "");
  const fields = fieldsOf(args);
  if (fields.length === 0) {
    const line = await prompt.ask("Arguments (JSON): ", signal, JSON.stringify(args));
    return line === null ? null : parseObject(line);
  }
  prompt.print('Change a line, or press Enter to keep it. For other fields: e {"name":"value"}');
  let typed = args;
  for (const field of fields) {
    const line = await prompt.ask(`${field.path}: `, signal, field.line);
    if (line === null) return null;
    typed = withField(typed, field, line);
  }
  return typed;
}
