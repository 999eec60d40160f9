import { hashOf } from "../../../cairn/core/log/digest.ts";
import { SEEN_STYLE } from "../../../cairn/protocol/decision-gate.ts";
import { escape } from "../../../cairn/http/kit/responses.ts";
import { destinationOf } from "./callback.ts";
import { PATHS, type SCOPES } from "./provider.ts";

/** The consent page: which assistant asks, for which scopes, and two buttons. No script; everything on it is text. */

type Scope = (typeof SCOPES)[number];

export interface Consent {
  readonly clientName: string;
  /** a domain that the client was shown to control; null where its name is only its own word */
  readonly clientDomain: string | null;
  /** where the answer goes: `assistant.example`, or `com.example.app:` */
  readonly destination: string;
  readonly destinationKind: "web" | "loopback" | "app";
  /** who consents */
  readonly subject: string;
  readonly scopes: readonly { readonly scope: Scope; readonly asked: boolean }[];
  readonly handle: string;
}

const MEANS: Readonly<Record<Scope, string>> = {
  read: "Read your sessions, runs, and the site with its drafts",
  send: "Start runs, answer their questions, stop them",
  approve: "Approve requests on your behalf",
  admin: "Full admin access",
};

const LOCAL_WARNING: Readonly<Record<Consent["destinationKind"], string>> = {
  web: "",
  loopback: '<p class="warning">This is a program on your computer. Continue only if you started this.</p>',
  app: '<p class="warning">This is the app on your device that opens such links. Continue only if you started this.</p>',
};

export function consentPage(consent: Consent): string {
  const {
    clientName,
    clientDomain,
    destination: place,
    destinationKind: placeKind,
    subject,
    scopes,
    handle,
  } = consent;
  const origin =
    clientDomain === null ? "Unverified app name." : `Published by <b>${escape(clientDomain)}</b>.`;
  const boxes = scopes.map(
    ({ scope, asked }) =>
      `<label><input type="checkbox" name="scope" value="${scope}"${asked ? " checked" : ""}> <span><b>${scope}</b>: ${MEANS[scope]}</span></label>`,
  );
  return page(
    "Connect an assistant",
    `<h1>Allow <q>${escape(clientName)}</q> to act on your behalf?</h1>
<p>${origin} Access goes to <b>${escape(place)}</b>.</p>
${LOCAL_WARNING[placeKind]}
<p>You are <b>${escape(subject)}</b>. It could then:</p>
<form method="post" action="${PATHS.authorize}">
<input type="hidden" name="handle" value="${escape(handle)}">
<fieldset><legend>Permissions</legend>
${boxes.join("\n")}
</fieldset>
<p class="buttons"><button type="submit" name="decision" value="deny">Do not allow</button> <button type="submit" class="yes" name="decision" value="allow">Allow</button></p>
</form>
<p class="soft">It does not see your token. Never more than your own access; ends when your token expires.</p>`,
  );
}

/** Asks for a token of the deployment. `query` is that of the request to go on with. */
export function signInPage(query: string, isWrong: boolean): string {
  return page(
    "Sign in",
    `<h1>Sign in to Cairn</h1>
<p>An assistant wants to act on your behalf. Sign in with your token first.</p>
${isWrong ? `<p class="warning" role="alert">That token isn't valid.</p>` : ""}
<form method="post" action="${escape(`${PATHS.signIn}?${query}`)}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required>
<p class="buttons"><button type="submit" class="yes">Sign in</button></p>
</form>`,
  );
}

/**
 * Links to the same address again. A browser that comes from another site does not send the sign-in cookie; from this
 * page it does.
 */
export function againPage(query: string): string {
  const address = escape(`${PATHS.authorize}?${query}`);
  return page(
    "One moment",
    `<h1>One moment</h1>\n<p><a href="${address}">Continue</a></p>`,
    `<meta http-equiv="refresh" content="0;url=${address}">`,
  );
}

/**
 * Leads on to the assistant, by itself and by a link. Not a redirect: a browser applies `form-action` to every redirect after
 * a form, and the assistant's own redirects are not known here.
 */
export function onwardPage(title: string, address: string): string {
  const link = escape(address);
  return page(
    title,
    `<h1>${escape(title)}</h1>
<p><a href="${link}" rel="noreferrer">Continue to <b>${escape(destinationOf(address))}</b></a></p>
<p class="soft">If nothing happens, follow the link. Then you can close this page.</p>`,
    `<meta http-equiv="refresh" content="0;url=${link}">`,
  );
}

/** `back`: the address of the assistant that receives the error, if the person goes there. */
export function messagePage(title: string, text: string, back?: string): string {
  const link =
    back === undefined
      ? ""
      : `\n<p><a href="${escape(back)}" rel="noreferrer">Back to <b>${escape(destinationOf(back))}</b></a></p>`;
  return page(title, `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>${link}`);
}

const STYLE = `:root{color-scheme:light dark;--ink:#1d2421;--soft:#56605b;--paper:#f7f6f2;--card:#fff;--line:#dcd9d0;--good:#22643f;--bad:#9b2c1f;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e9ebe7;--soft:#a5ada8;--paper:#161a18;--card:#1f2421;--line:#353c38;--good:#7fd0a0;--bad:#f19a8c;--on:#161a18}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:1.25rem;display:grid;gap:1rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1,p{margin:0}
h1{font-size:1.5rem;line-height:1.25}
form,fieldset{display:grid;gap:.75rem}
fieldset{margin:0;padding:.75rem;border:1px solid var(--line);border-radius:.5rem}
legend,.soft{color:var(--soft);font-size:.875rem}
fieldset label{display:grid;grid-template-columns:auto 1fr;gap:.5rem;align-items:start}
input[type=checkbox]{width:1.25rem;height:1.25rem;margin:.125rem 0}
input[type=password]{padding:.625rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:.5rem}
.warning{padding:.625rem .75rem;border:1px solid var(--bad);border-radius:.5rem;color:var(--bad)}
.buttons{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;gap:.75rem}
${SEEN_STYLE}
button{min-height:3rem;font:600 1rem system-ui,sans-serif;color:var(--ink);background:var(--card);border:1px solid var(--soft);border-radius:.5rem;cursor:pointer}
.yes{color:var(--on);background:var(--good);border-color:var(--good)}
a{color:inherit}
:focus-visible{outline:3px solid var(--soft);outline-offset:2px}`;

/** Hash of the style, for the pages' content security policy. */
export const styleHash = (): string => hashOf(STYLE);

const page = (title: string, body: string, head = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
