import app, { Intake, Session as CairnSession } from "../../../src/worker.ts";

/** The worker with a binding for mails that a test answers, at `MAIL_URL`: or leaves without an answer. */

type Handlers = Required<Pick<ExportedHandler<Env>, "fetch" | "email">>;

const withMail = (env: Env): Env => {
  const { MAIL_URL: url }: Record<string, unknown> = { ...env };
  const send = async (mail: unknown): Promise<EmailSendResult> => {
    const answered = await fetch(String(url), { method: "POST", body: JSON.stringify(mail) });
    return { messageId: await answered.text() };
  };
  return { ...env, EMAIL: { send } };
};

export { Intake };

export class Session extends CairnSession {
  constructor(context: DurableObjectState, env: Env) {
    super(context, withMail(env));
  }
}

export default {
  fetch: (request, env, context) => app.fetch(request, withMail(env), context),
  email: (mail, env, context) => app.email(mail, withMail(env), context),
} satisfies Handlers;
