import { fetcher, missingOf, variableIn, type Vendor } from "../vendor.ts";
import { SLACK_URL } from "./api.ts";
import { createSlack } from "./slack.ts";

const NEEDS = ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"];

/** An app of Slack. */
export const slack = (): Vendor => ({
  name: "slack",
  secrets: NEEDS,
  open: (env) => {
    const missing = missingOf(env, NEEDS);
    const baseUrl = variableIn(env, "SLACK_BASE_URL") || SLACK_URL;
    if (missing.length > 0) return { channel: null, missing };
    const channel = createSlack({
      token: variableIn(env, "SLACK_BOT_TOKEN"),
      signingSecret: variableIn(env, "SLACK_SIGNING_SECRET"),
      baseUrl,
      fetch: fetcher,
      now: Date.now,
    });
    return { channel, missing };
  },
});
