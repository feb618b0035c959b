/**
 * JSON values as CEL sees them, and back.
 *
 * 1. Nothing is copied before it is looked at: an object is wrapped, a list is wrapped once for each list it is.
 * 2. Only an object's own properties are there, by any name (`__proto__`, `constructor`).
 * 3. Whole numbers that are exact in JSON (up to 2^53) are integers, all others doubles.
 * 4. A value that only passes through comes back as the same object.
 */

/** The deepest list in lists, and object in objects, that an expression looks into. */
const VALUE_DEPTH_LIMIT = 64;

/** Why a value cannot be looked at, or is none of JSON. */
export class ValueError extends Error {}

const wrappedLists = new WeakMap<readonly unknown[], readonly unknown[]>();
const sourceOf = new WeakMap<object, object>();

/** A JSON object, behind the interface of a Map: the library takes its own properties from nothing else. */
class JsonMap extends Map<unknown, unknown> {
  readonly #source: Readonly<Record<string, unknown>>;
  readonly #depth: number;

  constructor(source: Readonly<Record<string, unknown>>, depth = 0) {
    super();
    this.#source = source;
    this.#depth = depth;
    sourceOf.set(this, source);
  }

  override get(key: unknown): unknown {
    return this.has(key) ? toCel(this.#source[key as string], this.#depth + 1) : undefined;
  }

  override has(key: unknown): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#source, key);
  }

  override get size(): number {
    return Object.keys(this.#source).length;
  }

  override keys(): MapIterator<unknown> {
    return new Map(Object.keys(this.#source).map((key) => [key, null] as [unknown, unknown])).keys();
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return new Map(Object.keys(this.#source).map((key) => [key, this.get(key)] as [unknown, unknown]))[
      Symbol.iterator
    ]();
  }

  /** The library derives a type from the first entry, to the depth of the data; an object of JSON has no such type. */
  override entries(): MapIterator<[unknown, unknown]> {
    return new Map<unknown, unknown>().entries();
  }
}

// The library tells maps by their constructor.
Object.defineProperty(JsonMap.prototype, 'constructor', { value: Map });

/** A JSON value for CEL. */
export function toCel(value: unknown, depth = 0): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  if (depth > VALUE_DEPTH_LIMIT) throw new ValueError(`a value is nested deeper than ${VALUE_DEPTH_LIMIT}`);
  if (!Array.isArray(value)) return new JsonMap(value as Readonly<Record<string, unknown>>, depth);
  const known = wrappedLists.get(value);
  if (known !== undefined) return known;
  // Not `value.map`: the library knows the arrays of this realm only.
  const list = Array.from(value, (item) => toCel(item, depth + 1));
  wrappedLists.set(value, list);
  sourceOf.set(list, value);
  return list;
}

/** The JSON value that a value of an expression stands for; undefined for one that the expression put together. */
export function sourceOfValue(value: object): object | undefined {
  return sourceOf.get(value);
}

/** What an expression amounts to, as JSON; throws a `ValueError` for what JSON does not have. */
export function toJson(value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'bigint') return integerOf(value);
  if (typeof value === 'number') return doubleOf(value);
  if (typeof value !== 'object') throw new ValueError(`${typeof value} is no value of JSON`);
  const source = sourceOf.get(value);
  if (source !== undefined) return source;
  if (Array.isArray(value)) return value.map(toJson);
  if (Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toJson(entry)]));
  throw new ValueError('the result is no value of JSON');
}

function integerOf(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new ValueError(`the integer ${value} is not exact in JSON (2^53 is)`);
  return number;
}

function doubleOf(value: number): number {
  if (!Number.isFinite(value)) throw new ValueError(`${value} is no number of JSON`);
  return value === 0 ? 0 : value;
}
