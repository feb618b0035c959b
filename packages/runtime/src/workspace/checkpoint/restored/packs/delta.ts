/** Applies a delta of a pack (gitformat-pack(5), "Deltified representation"). */

/** The object a delta makes of its base; throws for a delta that does not fit it, or makes more than `largestBytes`. */
export function applyDelta(base: Buffer, delta: Buffer, largestBytes: number): Buffer {
  const { size: baseSize, next } = readSize(delta, 0);
  const { size, next: start } = readSize(delta, next);
  if (baseSize !== base.length || size > largestBytes) throw misfit();
  const result = Buffer.allocUnsafe(size);
  let at = start;
  let end = 0;
  while (at < delta.length) {
    const order = delta[at] ?? 0;
    at += 1;
    if ((order & 0x80) === 0) {
      // The next bytes of the delta itself.
      if (order === 0 || end + order > size || at + order > delta.length) throw misfit();
      delta.copy(result, end, at, at + order);
      at += order;
      end += order;
      continue;
    }
    const copy = readCopy(delta, at, order);
    if (end + copy.length > size || copy.from + copy.length > base.length) throw misfit();
    base.copy(result, end, copy.from, copy.from + copy.length);
    at = copy.next;
    end += copy.length;
  }
  if (end !== size) throw misfit();
  return result;
}

function misfit(): Error {
  return new Error('a delta of a pack does not fit its base');
}

/** Bits of the order say which bytes of a place in the base and of a length follow; the others are zero. */
function readCopy(delta: Buffer, start: number, order: number): { from: number; length: number; next: number } {
  let next = start;
  let from = 0;
  let length = 0;
  for (let byte = 0; byte < 4; byte += 1) {
    if ((order & (1 << byte)) === 0) continue;
    // Not a shift: the fourth byte would make the number negative.
    from += (delta[next] ?? 0) * 2 ** (8 * byte);
    next += 1;
  }
  for (let byte = 0; byte < 3; byte += 1) {
    if ((order & (0x10 << byte)) === 0) continue;
    length |= (delta[next] ?? 0) << (8 * byte);
    next += 1;
  }
  return { from, length: length === 0 ? 0x10000 : length, next };
}

/** A number in groups of seven bits, the lowest first. */
function readSize(bytes: Buffer, start: number): { size: number; next: number } {
  let size = 0;
  let next = start;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[next] ?? 0;
    next += 1;
    size += (byte & 0x7f) * scale;
    if (byte < 0x80) return { size, next };
  }
}
