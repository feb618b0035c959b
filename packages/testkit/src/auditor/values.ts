import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statOf } from './files.ts';
import { type AuditedLine, type Fields, sha256Of, shown, textOf } from './lines.ts';
import type { Place, Report } from './problem.ts';

const TEXT_LIMIT = 262_144;
const DEPTH_LIMIT = 200;
const RESERVED = ['$blob', '$base64', '$literal'];
const DIGEST = /^[0-9a-f]{64}$/;
const strict = new TextDecoder('utf-8', { fatal: true });

/** Judges the values of lines (L10 to L14); payloads are looked up in one folder, each once. */
export interface ValueAudit {
  judge(line: AuditedLine): void;
}

interface Audit {
  readonly folder: string;
  readonly report: Report;
  /** What is wrong with each payload reference met so far; '' when nothing is. */
  readonly checked: Map<string, string>;
}

interface Visit {
  readonly place: Place;
  /** How many arrays and objects of the field hold the value; a `$literal` around an object is none. */
  readonly depth: number;
}

/** Starts the audit of a run's values. */
export function createValueAudit(payloadFolder: string, report: Report): ValueAudit {
  const audit: Audit = { folder: payloadFolder, report, checked: new Map() };
  return {
    judge: ({ event, place }) => {
      judgeKeys(audit, event, place);
      for (const value of Object.values(event)) visit(audit, value, { place, depth: 0 });
    },
  };
}

function visit(audit: Audit, value: unknown, at: Visit): void {
  if (at.depth > DEPTH_LIMIT) audit.report.add('L14', `a value nests deeper than ${DEPTH_LIMIT} levels`, at.place);
  else if (typeof value === 'string') judgeText(value, at.place, audit.report);
  else if (Array.isArray(value)) visitAll(audit, value, at);
  else if (typeof value === 'object' && value !== null) visitObject(audit, value as Fields, at);
}

function visitAll(audit: Audit, values: readonly unknown[], at: Visit): void {
  for (const value of values) visit(audit, value, { ...at, depth: at.depth + 1 });
}

function visitFields(audit: Audit, fields: Fields, at: Visit): void {
  judgeKeys(audit, fields, at.place);
  visitAll(audit, Object.values(fields), at);
}

function visitObject(audit: Audit, fields: Fields, at: Visit): void {
  const { $literal, $base64 } = fields;
  const reserved = RESERVED.some((key) => Object.hasOwn(fields, key));
  const keys = Object.keys(fields).sort().join(',');
  if (!reserved) visitFields(audit, fields, at);
  else if (keys === '$literal' && isObject($literal)) visitFields(audit, $literal, at);
  else if (keys === '$base64' && typeof $base64 === 'string') judgeBase64($base64, at.place, audit.report);
  else if (keys === '$blob,bytes,encoding') judgePayload(audit, fields, at.place);
  else audit.report.add('L13', `an object with a reserved key is not wrapped: ${shown(fields)}`, at.place);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function judgeKeys({ report }: Audit, fields: Fields, place: Place): void {
  for (const key of Object.keys(fields)) {
    if (!key.isWellFormed()) report.add('L10', `the key ${shown(key)} is not well-formed`, place);
  }
}

function judgeText(text: string, place: Place, report: Report): void {
  if (!text.isWellFormed()) report.add('L10', `${shown(text)} is not well-formed`, place);
  if (Buffer.byteLength(text) > TEXT_LIMIT) report.add('L11', `a string of more than ${TEXT_LIMIT} bytes`, place);
}

function judgeBase64(text: string, place: Place, report: Report): void {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) report.add('L12', `${shown(text)} is not base64`, place);
  if (bytes.length > TEXT_LIMIT) report.add('L12', `${bytes.length} bytes are too many for a line`, place);
}

function judgePayload({ checked, folder, report }: Audit, fields: Fields, place: Place): void {
  const known = textOf(fields);
  if (!checked.has(known)) checked.set(known, problemOfPayload(fields, folder));
  const problem = checked.get(known) ?? '';
  if (problem !== '') report.add('L11', problem, place);
}

/** What is wrong with a payload reference and its file; '' when nothing is. */
function problemOfPayload(reference: Fields, folder: string): string {
  const { $blob: digest, bytes, encoding } = reference;
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return `$blob is ${shown(digest)}, not a digest`;
  if (!['utf8', 'binary', 'json'].includes(String(encoding))) return `a payload has the encoding ${shown(encoding)}`;
  const path = join(folder, digest);
  if (statOf(path)?.isFile() !== true) return `payload ${digest} is missing`;
  const content = readFileSync(path);
  if (content.length !== bytes) return `payload ${digest} has ${content.length} bytes, not ${shown(bytes)}`;
  if (sha256Of(content) !== digest) return `payload ${digest} has other bytes than its name says`;
  if (encoding === 'binary') return '';
  if (!isUtf8(content)) return `payload ${digest} is not UTF-8`;
  return encoding === 'json' && !isJson(content.toString('utf8')) ? `payload ${digest} is not JSON` : '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
