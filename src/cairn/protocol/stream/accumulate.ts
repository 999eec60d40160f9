import type { Json, JsonObject } from "../../core/log/json.ts";
import type { PlacedChunk, UiChunk, UiMessage } from "./ui-chunk.ts";

/**
 * The message that a client of `ai` 7 builds from a run's chunks: the synchronous twin of `readUIMessageStream`,
 * for the chunks that Cairn sends. A test holds the two against each other.
 */
export function accumulate(id: string, chunks: readonly PlacedChunk[]): UiMessage {
  const message = new Accumulator();
  for (const { chunk } of chunks) message.apply(chunk);
  const { parts, metadata } = message;
  return { id, role: "assistant", parts, ...(metadata === null ? {} : { metadata }) };
}

type Part = { [key: string]: Json };

class Accumulator {
  parts: Part[] = [];
  metadata: JsonObject | null = null;
  readonly #open = new Map<string, Part>();

  apply(chunk: UiChunk): void {
    switch (chunk.type) {
      case "start":
      case "finish":
      case "message-metadata":
        if (chunk.messageMetadata !== undefined)
          this.metadata = { ...this.metadata, ...chunk.messageMetadata };
        return;
      case "start-step":
        this.parts.push({ type: "step-start" });
        return;
      case "reset-step":
        this.parts.splice(this.#stepStart());
        this.#open.clear();
        return;
      case "text-start":
        return this.#begin(chunk.id, { type: "text", text: "", state: "streaming" });
      case "reasoning-start":
        return this.#begin(chunk.id, { type: "reasoning", id: chunk.id, text: "", state: "streaming" });
      case "text-delta":
      case "reasoning-delta": {
        const part = this.#open.get(chunk.id);
        if (typeof part?.["text"] === "string") part["text"] += chunk.delta;
        return;
      }
      case "text-end":
      case "reasoning-end": {
        const part = this.#open.get(chunk.id);
        if (part !== undefined) part["state"] = "done";
        this.#open.delete(chunk.id);
        return;
      }
      case "tool-input-available":
        return this.#tool(chunk, { state: "input-available", title: chunk.title, input: chunk.input });
      case "tool-input-error":
        // `ai` 7 leaves the title of a bad call out.
        return this.#tool(chunk, { state: "output-error", input: chunk.input, errorText: chunk.errorText });
      case "tool-approval-request": {
        const { approvalId, approvalDescriptor, reason, toolCallId } = chunk;
        const part = this.#toolPart(toolCallId);
        if (part === undefined) return;
        part["state"] = "approval-requested";
        part["approval"] = { id: approvalId, descriptor: approvalDescriptor, requestReason: reason };
        return;
      }
      case "tool-approval-response":
        return this.#respond(chunk);
      case "tool-output-available":
        return this.#result(chunk.toolCallId, { state: "output-available", output: chunk.output });
      case "tool-output-error":
        return this.#result(chunk.toolCallId, { state: "output-error", errorText: chunk.errorText });
      case "tool-output-denied": {
        const part = this.#toolPart(chunk.toolCallId);
        if (part !== undefined) part["state"] = "output-denied";
        return;
      }
      case "steering-message":
        this.parts.push({
          type: "steering-message",
          id: chunk.id,
          parts: chunk.parts.map((part) => ({ ...part })),
        });
        return;
      case "source-url":
        this.parts.push({ ...chunk });
        return;
      case "finish-step":
      case "abort":
      case "error":
        return;
      default: {
        if (chunk.transient === true) return;
        const { type, id, data } = chunk;
        const known = this.parts.find((part) => part["type"] === type && part["id"] === id);
        if (known === undefined) this.parts.push({ type, id, data });
        else known["data"] = data;
      }
    }
  }

  #begin(id: string, part: Part): void {
    this.#open.set(id, part);
    this.parts.push(part);
  }

  /** Index of the first part after the last step-start. */
  #stepStart(): number {
    return this.parts.findLastIndex((part) => part["type"] === "step-start") + 1;
  }

  #toolPart(call: string): Part | undefined {
    return this.parts.findLast((part) => part["toolCallId"] === call);
  }

  #tool(chunk: { toolCallId: string; toolName: string }, fields: Part): void {
    const { toolCallId, toolName } = chunk;
    const known = this.parts.slice(this.#stepStart()).find((part) => part["toolCallId"] === toolCallId);
    if (known === undefined) {
      this.parts.push({ type: `tool-${toolName}`, toolCallId, ...fields });
      return;
    }
    delete known["output"];
    delete known["errorText"];
    Object.assign(known, fields);
  }

  #result(call: string, fields: Part): void {
    const part = this.#toolPart(call);
    if (part === undefined) return;
    delete part["output"];
    delete part["errorText"];
    Object.assign(part, fields);
  }

  #respond(chunk: UiChunk & { type: "tool-approval-response" }): void {
    const { approvalId: id, approved, reason } = chunk;
    const part = this.parts.findLast((item) => approvalOf(item)?.["id"] === id);
    if (part === undefined) return;
    part["state"] = "approval-responded";
    part["approval"] = {
      ...approvalOf(part),
      id,
      approved,
      ...(reason === undefined ? {} : { reason }),
    };
  }
}

function approvalOf(part: Part): { readonly [key: string]: Json } | null {
  const { approval } = part;
  if (typeof approval !== "object" || approval === null || Array.isArray(approval)) return null;
  return approval as { readonly [key: string]: Json };
}
