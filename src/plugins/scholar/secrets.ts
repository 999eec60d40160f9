/** Variables of the search of scholarly works that are secrets. */
export const SCHOLAR_SECRETS = ["OPENALEX_API_KEY", "SERPER_API_KEY"];
