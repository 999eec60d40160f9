import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createScriptedModel, type Sleep } from "../../cairn/models/script/scripted-model.ts";
import { replyTo } from "./reply.ts";

/**
 * The rehearsal model: rules, not a language model. It needs no account and no network, and the same prompt always gets
 * the same reply. Its answers say so.
 */
export const createRehearsalModel = (sleep?: Sleep): LanguageModelV4 =>
  createScriptedModel("rehearsal", replyTo, sleep);
