import { variableIn, type Vendor } from "../vendor.ts";
import { createEmail, type Mailer } from "./email.ts";
import { receiveMail } from "./receive-mail.ts";
import { isMailbox } from "./mailbox.ts";

const ADDRESS = "EMAIL_ADDRESS";
const AUTH_SERVER = "EMAIL_AUTH_SERVER";
/** the binding `send_email` */
const MAILER = "EMAIL";

/** Mail: received by Cloudflare's Email Routing, sent by its Email Service. */
export const email = (): Vendor => ({
  name: "email",
  secrets: [],
  open: (env) => {
    const address = variableIn(env, ADDRESS);
    const authServer = variableIn(env, AUTH_SERVER);
    const mailer = isMailer(env[MAILER]) ? env[MAILER] : null;
    const isAddress = isMailbox(address);
    const missing = [
      ...(isAddress ? [] : [ADDRESS]),
      ...(mailer === null ? [MAILER] : []),
      // Without it the channel works, but nobody can link by mail.
      ...(authServer === "" ? [AUTH_SERVER] : []),
    ];
    if (mailer === null || !isAddress) return { channel: null, missing };
    const channel = createEmail({ address, mailer, authServer: authServer === "" ? null : authServer });
    return { channel, missing };
  },
  email: (mail, deps, env) => receiveMail(deps, env, mail),
});

const isMailer = (value: unknown): value is Mailer =>
  typeof value === "object" && value !== null && "send" in value && typeof value.send === "function";
