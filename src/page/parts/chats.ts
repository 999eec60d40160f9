import type { ChannelAnswer } from "../../plugins/channels/protocol/answers.ts";
import { useAnswer } from "../api.ts";

/** Where somebody is to be asked, and when not: `GET /api/me/notify`. */
export const NOTIFY = "/api/me/notify";

export type NotifySettings = ChannelAnswer<"Notify">;
type KnownChat = NotifySettings["places"][number];

const NONE: readonly KnownChat[] = [];

/** The places at which this person is written to; none while nobody knows them. */
export const useChats = (): readonly KnownChat[] => useAnswer<NotifySettings>(NOTIFY).data?.places ?? NONE;
