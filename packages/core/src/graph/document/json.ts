/** Whether a value is JSON that is small enough to be looked at in full. Never goes deeper or further than the limits. */
import { utf8Bytes } from '../../text/bytes.ts';
import { GRAPH_LIMITS } from './limits.ts';
import type { Place, Report } from './report.ts';

/** False, and the first reason said, when a value cannot be read. A field that is undefined counts as absent. */
export function checkJson(value: unknown, report: Report): boolean {
  const tooLarge = () => refuse(report, [], `the document is larger than ${GRAPH_LIMITS.bytes / 1024 / 1024} MiB`);
  let size = 0;
  const visit = (part: unknown, place: Place): boolean => {
    size += typeof part === 'string' ? part.length : 1;
    if (size > GRAPH_LIMITS.bytes) return tooLarge();
    if (place.length > GRAPH_LIMITS.depth) return refuse(report, place, `nested deeper than ${GRAPH_LIMITS.depth}`);
    if (Array.isArray(part)) return part.every((item, index) => visit(item, [...place, index]));
    const reason = refusalOf(part);
    if (reason !== null) return refuse(report, place, reason);
    if (typeof part !== 'object' || part === null) return true;
    return Object.entries(part).every(([key, field]) => {
      size += key.length;
      return field === undefined || visit(field, [...place, key]);
    });
  };
  if (!visit(value, [])) return false;
  return utf8Bytes(JSON.stringify(value)).length <= GRAPH_LIMITS.bytes || tooLarge();
}

function refuse(report: Report, place: Place, message: string): false {
  report.add(place, message);
  return false;
}

function refusalOf(part: unknown): string | null {
  if (typeof part === 'string') return part.isWellFormed() ? null : 'the text is no well-formed Unicode';
  if (typeof part === 'number') return Number.isFinite(part) ? null : `${part} is no number of JSON`;
  if (part === null || typeof part === 'boolean') return null;
  if (typeof part !== 'object') return `a ${typeof part} is no value of JSON`;
  const prototype: unknown = Object.getPrototypeOf(part);
  // The Object.prototype of another realm is another one, and like ours has no prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !('toJSON' in part && typeof part.toJSON === 'function') ? null : 'the object is no value of JSON';
}
