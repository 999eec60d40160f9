import type { ChannelAnswer } from "../../plugins/channels/protocol/answers.ts";
import { useAnswer } from "../api.ts";

/** Settings for questions and quiet hours: `GET /api/me/notify`. */
export const NOTIFY = "/api/me/notify";

export type NotifySettings = ChannelAnswer<"Notify">;
type KnownChat = NotifySettings["places"][number];

const NONE: readonly KnownChat[] = [];

/** The chats in which this person gets messages; empty until they are loaded. */
export const useChats = (): readonly KnownChat[] => useAnswer<NotifySettings>(NOTIFY).data?.places ?? NONE;
