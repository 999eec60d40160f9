import { startTelegram, type TelegramStandIn } from "../../../../scripts/channels-demo/telegram.ts";
import type { Channel } from "../../../../src/plugins/channels/channel.ts";
import { createTelegram } from "../../../../src/plugins/channels/telegram/telegram.ts";
import { listening, NOW } from "../channel-fixture.ts";

export const SECRET = "a-secret_of_the_webhook";

export async function withTelegram(): Promise<{
  standIn: TelegramStandIn;
  channel: Channel;
  heard: ReturnType<typeof listening>["heard"];
}> {
  const listener = listening();
  const standIn = await startTelegram({ deliver: listener.deliver, now: () => NOW });
  const { token, url } = standIn;
  const channel = createTelegram({ token, secret: SECRET, baseUrl: url, fetch, now: () => NOW });
  listener.channel = channel;
  standIn.setWebhook("http://cairn.example/channels/telegram", SECRET);
  return { standIn, channel, heard: listener.heard };
}
