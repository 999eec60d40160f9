/** The parser of mails, loaded when the first one arrives. */
export const loadPostalMime = async () => (await import("postal-mime")).default;
