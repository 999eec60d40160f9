/** as many arguments as a call safely takes */
const CHUNK = 8_192;

export function base64Of(bytes: Uint8Array): string {
  let latin = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    latin += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(latin);
}
