/**
 * Which addresses no request of a tool may reach. An address here is what a resolver answers or what the URL
 * parser has made of a host: four plain decimal numbers, or IPv6 text with or without brackets and zone. Everything that
 * cannot be read as one of these is refused.
 *
 * The ranges are those of IANA's special-purpose registries (RFC 6890 and its successors) and of the clouds' metadata
 * services. A form that carries an IPv4 address inside an IPv6 one is refused whatever it carries: an ordinary server has
 * no need of it, and who translates it, and to what, is not ours to know.
 */

type AddressVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "url_address"; readonly why: string };

const ALLOWED: AddressVerdict = { ok: true };

type Range = readonly [start: string, prefix: number, why: string];

/** First match names the reason. */
const IPV4: readonly Range[] = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private network"],
  ["100.100.100.200", 32, "metadata service"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "metadata service"],
  ["169.254.169.254", 32, "metadata service"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private network"],
  ["192.0.0.192", 32, "metadata service"],
  ["192.0.0.0", 24, "protocol assignments"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "6to4 relay"],
  ["192.168.0.0", 16, "private network"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["255.255.255.255", 32, "broadcast"],
  ["240.0.0.0", 4, "reserved"],
];

const IPV6: readonly Range[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "IPv4-mapped"],
  ["::ffff:0:0:0", 96, "IPv4-translated"],
  ["::", 96, "IPv4-compatible"],
  ["64:ff9b::", 96, "NAT64"],
  ["64:ff9b:1::", 48, "local NAT64"],
  ["100::", 64, "discard"],
  ["2001::", 32, "Teredo"],
  ["2001:2::", 48, "benchmarking"],
  ["2001:10::", 28, "ORCHID"],
  ["2001:20::", 28, "ORCHID"],
  ["2001:db8::", 32, "documentation"],
  ["2001::", 23, "protocol assignments"],
  ["2002::", 16, "6to4"],
  ["3fff::", 20, "documentation"],
  ["fd00:ec2::254", 128, "metadata service"],
  ["fd20:ce::254", 128, "metadata service"],
  ["fc00::", 7, "unique local"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "site-local"],
  ["ff00::", 8, "multicast"],
];

/** Checks whether a request may go to this address. For a name, one blocked address refuses the name. */
export function judgeAddress(address: string): AddressVerdict {
  const text = address.replace(/^\[(.*)\]$/s, "$1");
  if (!text.includes(":")) {
    const bits = parseIpv4(text);
    return bits === null ? refuse(address, "not an address") : judgeBits(address, bits, 32, BLOCKED_IPV4);
  }
  // A zone names a link of this machine, so the address is never outside.
  if (text.includes("%")) return refuse(address, "link-local with a zone");
  const bits = parseIpv6(text);
  if (bits === null) return refuse(address, "not an address");
  const verdict = judgeBits(address, bits, 128, BLOCKED_IPV6);
  if (!verdict.ok) return verdict;
  // Only 2000::/3 is handed out for the public internet.
  if (bits >> 125n !== 1n) return refuse(address, "outside the global unicast space");
  const owner = (bits >> 32n) & 0xffff_ffffn;
  return owner === 0x5efen || owner === 0x0200_5efen ? refuse(address, "ISATAP") : ALLOWED;
}

interface Block {
  readonly bits: bigint;
  readonly prefix: number;
  readonly why: string;
}

function judgeBits(address: string, bits: bigint, width: number, blocks: readonly Block[]): AddressVerdict {
  const found = blocks.find(({ bits: start, prefix }) => {
    const shift = BigInt(width - prefix);
    return bits >> shift === start >> shift;
  });
  return found === undefined ? ALLOWED : refuse(address, found.why);
}

function refuse(address: string, why: string): AddressVerdict {
  return { ok: false, code: "url_address", why: `${address.slice(0, 64)}: ${why}` };
}

/** Four decimal numbers without leading zeros, as 32 bits. */
function parseIpv4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

/** IPv6 text (RFC 4291 2.2, all three forms), as 128 bits. */
function parseIpv6(text: string): bigint | null {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const embedded = tail === null ? null : parseIpv4(tail[2] ?? "");
  if (tail !== null && embedded === null) return null;
  const hex =
    tail === null || embedded === null
      ? text
      : `${tail[1] ?? ""}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`;
  const halves = hex.split("::");
  if (halves.length > 2) return null;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  if (groups.flat().some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  const head = groups[0] ?? [];
  const rest = groups[1] ?? [];
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  return [...head, ...Array.from({ length: missing }, () => "0"), ...rest].reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

function blocksOf(ranges: readonly Range[], parse: (text: string) => bigint | null): readonly Block[] {
  return ranges.map(([start, prefix, why]) => {
    const bits = parse(start);
    if (bits === null) throw new Error(`the range ${start}/${prefix} cannot be read`);
    return { bits, prefix, why };
  });
}

const BLOCKED_IPV4 = blocksOf(IPV4, parseIpv4);
const BLOCKED_IPV6 = blocksOf(IPV6, parseIpv6);
