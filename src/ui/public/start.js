// Fills the page with what GET /healthz says. Everything is put in as text.

const LOGIN = {
  anonymous: "not needed on this machine",
  tokens: "with a token (AUTH_TOKENS)",
  none: "nobody can: set AUTH_TOKENS, or ALLOW_ANONYMOUS on your own machine",
};

const element = (id) => document.getElementById(id);

function say(good, text) {
  element("state").dataset.good = String(good);
  element("state").textContent = text;
}

function show(health) {
  const well = health.status === "ok";
  say(well, well ? "Ready." : "Not configured correctly. Until it is, it does not work.");
  element("model").textContent = health.rehearsal
    ? "rehearsal: rules, not a language model. Set MODEL for a real one."
    : (health.model ?? "none");
  element("auth").textContent = LOGIN[health.auth] ?? health.auth;
  element("version").textContent = health.version;
  element("facts").hidden = false;
  element("problems").replaceChildren(
    ...health.problems.map(({ variable, message }) => {
      const item = document.createElement("li");
      item.textContent = `${variable}: ${message}`;
      return item;
    }),
  );
  element("problems").hidden = health.problems.length === 0;
}

try {
  show(await (await fetch("/healthz")).json());
} catch {
  say(false, "It does not answer. Is it running?");
}
