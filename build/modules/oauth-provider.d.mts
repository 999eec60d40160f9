export * from "../on-demand/oauth-provider.ts";
