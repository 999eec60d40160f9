/** Variables of the sandbox that are secrets. */
export const CODE_SECRETS = ["SANDBOX_AUTHORIZATION"];
