/** The first and the last member of the file of a site. The page reads no more of the format than these. */
export const MANIFEST_NAME = "site.json";
export const SEAL_NAME = "seal.json";
