import { parseList } from "../../../cairn/protocol/variables.ts";
import { actorOfGrant, peopleIn, peopleWhoseRightsEnd } from "../../../cairn/config/rights.ts";
import { listSubscriptions, removeSubscription } from "./subscriptions.ts";
import {
  fetcher,
  missingOf,
  variableIn,
  type VariableProblem,
  type Variables,
  type Vendor,
} from "../vendor.ts";
import { mountPush } from "./routes.ts";
import { parseVapid, VAPID_VARIABLES } from "./vapid.ts";
import { createWebPush } from "./webpush.ts";

const SERVICES = "WEBPUSH_SERVICES";

/** Notifications of browsers. */
export const webpush = (): Vendor => ({
  name: "webpush",
  secrets: ["VAPID_PRIVATE_KEY"],
  open: (env) => {
    const { vapid, problems } = read(env);
    const services = parseList(env[SERVICES]) ?? [];
    const baseUrl = variableIn(env, "WEBPUSH_BASE_URL") || null;
    const unread = problems.map(({ about }) => about);
    const unset = missingOf(env, VAPID_VARIABLES);
    const missing = VAPID_VARIABLES.filter((name) => unset.includes(name) || unread.includes(name));
    if (vapid === null) return { channel: null, missing };
    const db = env["DB"] as D1Database;
    const channel = createWebPush({
      vapid,
      services,
      baseUrl,
      subscriptions: async (subject) =>
        (await listSubscriptions(db, subject)).filter((one) => mayNotify(env, subject, one.grant)),
      remove: (subject, id) => removeSubscription(db, subject, id),
      fetch: fetcher,
      now: Date.now,
    });
    return { channel, missing };
  },
  problems: (env) => [
    ...read(env).problems,
    ...(parseList(env[SERVICES]) === null
      ? [{ about: SERVICES, message: "Must be a comma list of names of hosts." }]
      : []),
  ],
  mount: mountPush,
});

function read(env: Variables) {
  const problems: VariableProblem[] = [];
  const vapid = parseVapid(env, (about, message) => void problems.push({ about, message }));
  return { vapid, problems };
}

/** True while the subscriber's access lasts. */
function mayNotify(env: Variables, subject: string, grant: string | null): boolean {
  const people = peopleWhoseRightsEnd(peopleIn(env));
  if (people === null) return true;
  const held = { subject, grants: grant === null ? null : [grant], scopes: ["read", "approve"] };
  const now = actorOfGrant(people, held, Date.now());
  return now !== null && now.scopes.length > 0;
}
