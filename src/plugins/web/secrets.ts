/** Variables of the search providers that are secrets. */
export const WEB_SECRETS = [
  "EXA_API_KEY",
  "BRAVE_API_KEY",
  "TAVILY_API_KEY",
  "SERPER_API_KEY",
  "SEARXNG_AUTHORIZATION",
];
