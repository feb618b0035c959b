/** A JSON text as its value, taken to be what its sender says it is; null when it is no JSON. */
export function readJson<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
