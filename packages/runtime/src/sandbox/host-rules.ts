/** Which hosts a command may reach: rules as a person writes them, and addresses that need to be named themselves. */
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** `example.org`, `*.example.org` (subdomains only), `*` (any public host), an address; with `:port`, that port only. */
export interface HostRule {
  readonly host: string;
  readonly port: number | null;
}

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const HOST_PATTERN = /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/;

/** A rule from text; null when it is none. IPv6 addresses with a port are written `[::1]:443`. */
export function parseHostRule(text: string): HostRule | null {
  const match = /^(?:\[([^\]]+)\]|([^[\]:\s/@]+))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) return isIP(text) === 6 && !text.includes('%') ? { host: normaliseHost(text), port: null } : null;
  const bracketed = match[1] !== undefined;
  const host = normaliseHost(match[1] ?? match[2] ?? '');
  const port = match[3] === undefined ? null : Number(match[3]);
  if (bracketed ? isIP(host) !== 6 || host.includes('%') : !HOST_PATTERN.test(host)) return null;
  return port === 0 || (port ?? 0) > 65535 ? null : { host, port };
}

/** A destination from `host:port`; null when it is malformed. */
export function parseDestination(authority: string, defaultPort: number | null): Destination | null {
  const rule = authority.includes('*') ? null : parseHostRule(authority);
  const port = rule?.port ?? defaultPort;
  return rule === null || port === null ? null : { host: rule.host, port };
}

/** `host:port`, IPv6 in brackets. */
export function renderDestination({ host, port }: Destination): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Whether a rule names this host. */
export function isAllowed(destination: Destination, rules: readonly HostRule[]): boolean {
  return rules.some((rule) => matchesPort(rule, destination.port) && matchesHost(rule.host, destination.host));
}

/**
 * Whether a resolved address may be connected to: public ones may; private, loopback, link-local and reserved ones only
 * where a rule names the address itself (or `localhost` for loopback). A listed name that resolves inward is refused.
 */
export function isAddressAllowed(address: string, destination: Destination, rules: readonly HostRule[]): boolean {
  const plain = withoutMapping(normaliseHost(address));
  if (!isReserved(plain)) return true;
  const mayUse = (host: string) => rules.some((rule) => rule.host === host && matchesPort(rule, destination.port));
  if (mayUse(plain)) return true;
  return destination.host === 'localhost' && isLoopback(plain) && mayUse('localhost');
}

function matchesPort(rule: HostRule, port: number): boolean {
  return rule.port === null || rule.port === port;
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.')
    ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
    : pattern === host;
}

/** Lower case, no final dot, addresses in their shortest form: two spellings of a host must not differ. */
function normaliseHost(host: string): string {
  const lower = host.toLowerCase().replace(/\.$/, '');
  if (isIP(lower) === 6) return lower.includes('%') ? lower : new URL(`http://[${lower}]`).hostname.slice(1, -1);
  return lower.startsWith('*') ? `*${asciiName(lower.slice(1))}` : asciiName(lower);
}

function asciiName(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : domainToASCII(name);
}

function withoutMapping(address: string): string {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (match === null) return address;
  const [high, low] = [Number.parseInt(match[1] ?? '', 16), Number.parseInt(match[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * From the IANA special-purpose address registries; of IPv6, what embeds IPv4 addresses too. One list per family: in a
 * common one Node finds every IPv4 address in the mapped range.
 */
const RESERVED_IPV4 = makeBlockList(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);
const RESERVED_IPV6 = makeBlockList(
  'ipv6',
  '::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 fc00::/7 fe80::/10 ' +
    'fec0::/10 ff00::/8',
);

function makeBlockList(family: 'ipv4' | 'ipv6', ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

function isReserved(address: string): boolean {
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0) return true;
  return family === 6 ? RESERVED_IPV6.check(address, 'ipv6') : RESERVED_IPV4.check(address, 'ipv4');
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
