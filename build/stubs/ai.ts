/**
 * What `wrangler.toml` puts in the place of `ai`. `workers-ai-provider` takes one function of it, and with it came every
 * schema that `ai` makes as it is loaded. A tool that imports more of `ai` takes this line out of `wrangler.toml` again.
 */
export { generateId } from "@ai-sdk/provider-utils";
