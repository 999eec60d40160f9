export * from "../beside/oauth-provider.ts";
