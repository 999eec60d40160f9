/** Written by write.ts: SHA-256 of the static file of the sample site. */
export const SAMPLE_SHA256 = "ae47cf4273dba87e4ab5b00fefd99a96ea6233a56ae1de5090dd1ab70b1ed3f7";
