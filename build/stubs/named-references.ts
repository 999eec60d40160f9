/**
 * What `wrangler.toml` puts in the place of `character-entities-html4`: names for writing characters, which are read only
 * when a serialiser is asked for them. The site's is not: it writes `&#x26;`.
 */
export const characterEntitiesHtml4: Readonly<Record<string, string>> = {};
