/** What `wrangler.toml` puts in the place of `@ungap/structured-clone`, which is this function wherever there is one. */
export default structuredClone;
