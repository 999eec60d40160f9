const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["SamsungBrowser", "Samsung Internet"],
  ["Firefox", "Firefox"],
  ["FxiOS", "Firefox"],
  ["CriOS", "Chrome"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "a Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/**
 * "Firefox on Linux", for people to distinguish their browsers. The first match counts: each browser names others
 * too.
 */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1] ?? "A browser";
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}
