/**
 * Text and bytes, by the encoders every JavaScript platform has (WHATWG Encoding and `btoa`), declared here because
 * core's types know neither Node nor the DOM.
 */

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };
declare const btoa: (binary: string) => string;
declare const atob: (text: string) => string;

const encoder = new TextEncoder();
const lenient = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** UTF-8 bytes of a string; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD. A byte order mark stays. */
export function utf8Text(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

/** Base64 (RFC 4648, section 4, with padding). */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Bytes of base64 text; empty when it is not base64. */
export function bytesOfBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}
