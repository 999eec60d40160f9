import { defineWebhooks, type WebhookRule } from "./cairn/definitions.ts";

/**
 * The effects of incoming webhooks: one entry for each `/hooks/NAME`. A source answers once WEBHOOK_SECRETS holds its
 * secret. `{{header.NAME}}` and `{{body.PATH}}` stand for what was sent, `{{delivery}}` for a name of the delivery; the
 * filters are `slug`, `json`, `truncate:N` and `untrusted`. What was sent by others may stand in a prompt only as
 * `untrusted`: without it, the source takes nothing.
 */

/** Every delivery gets a session of its own, so that one stranger's words are never read beside another's. */
const look = (name: string): WebhookRule => ({
  session: `${name}-{{delivery}}`,
  prompt: `A webhook of ${name} has arrived. Read it, and say in a few sentences what happened and what should be done.\n{{body|untrusted}}`,
});

export const webhooks = defineWebhooks({
  standard: { scheme: "standard", owner: "hook:standard", otherwise: look("standard") },
  stripe: { scheme: "stripe", owner: "hook:stripe", otherwise: look("stripe") },
  slack: { scheme: "slack", owner: "hook:slack", otherwise: look("slack") },
  shopify: { scheme: "shopify", owner: "hook:shopify", otherwise: look("shopify") },
  telegram: { scheme: "telegram", owner: "hook:telegram", otherwise: look("telegram") },
  bearer: { scheme: "bearer", owner: "hook:bearer", otherwise: look("bearer") },
  github: {
    scheme: "github",
    event: "{{header.x-github-event}}.{{body.action}}",
    owner: "hook:github",
    on: {
      "issues.opened": {
        session: "gh-{{body.repository.full_name|slug}}-{{body.issue.number}}",
        prompt: "A new issue was opened. Triage it.\n{{body.issue|untrusted}}",
      },
      "issue_comment.created": {
        session: "gh-{{body.repository.full_name|slug}}-{{body.issue.number}}",
        prompt: "A comment was written on an issue. Say what it asks for.\n{{body.comment|untrusted}}",
      },
      "pull_request.opened": {
        session: "gh-{{body.repository.full_name|slug}}-{{body.pull_request.number}}",
        prompt:
          "A pull request was opened. Say what it changes, and what to look at.\n{{body.pull_request|untrusted}}",
      },
    },
    otherwise: "ignore",
  },
});
