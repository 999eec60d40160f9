import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createScriptedModel, type Sleep } from "../../cairn/models/script/scripted-model.ts";
import { readRehearsal } from "./conversation.ts";
import { replyOf } from "./decide.ts";

/**
 * The rehearsal model: rules, not a language model. It needs no account and no network, and the same prompt always gets
 * the same reply. Its answers say what it is.
 */
export const createRehearsalModel = (sleep?: Sleep): LanguageModelV4 =>
  createScriptedModel("rehearsal", (conversation) => replyOf(readRehearsal(conversation)), sleep);
