import { startSlack, type SlackStandIn } from "../../../../scripts/channels-demo/slack.ts";
import type { Channel } from "../../../../src/plugins/channels/channel.ts";
import { createSlack } from "../../../../src/plugins/channels/slack/slack.ts";
import { listening, NOW } from "../channel-fixture.ts";

export async function withSlack(): Promise<{
  standIn: SlackStandIn;
  channel: Channel;
  heard: ReturnType<typeof listening>["heard"];
}> {
  const listener = listening();
  const standIn = await startSlack({ deliver: listener.deliver, now: () => NOW });
  const { token, signingSecret, url } = standIn;
  const channel = createSlack({ token, signingSecret, baseUrl: url, fetch, now: () => NOW });
  listener.channel = channel;
  standIn.setTarget("http://cairn.example/channels/slack");
  return { standIn, channel, heard: listener.heard };
}
