/** The events of which a target of webhooks can be notified. */
export const WEBHOOK_EVENTS = [
  "run.started",
  "run.waiting",
  "run.ended",
  "approval.requested",
  "approval.decided",
  "approval.expired",
  "approval.escalated",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
