/**
 * Makes recorded text safe to show: a terminal must never act on what an agent, a file name or a web page wrote.
 *
 * 1. The result holds no C0 or C1 control, no DEL, no bidirectional control and no invisible character; each is shown
 *    as an escape (`\x1b`, `\u202e`). Only `escapeText` keeps newlines and tabs.
 * 2. Escaping is per UTF-16 unit or whole code point, so escaping pieces gives the same as escaping the whole, as long as
 *    no piece ends inside a surrogate pair.
 * 3. In JSON the same characters become JSON escapes, so a parser reads back what was recorded.
 */

/**
 * Controls (C0, DEL, C1), soft hyphen, Arabic letter mark, Hangul and Khmer fillers, zero-width and bidirectional marks,
 * line and paragraph separators, invisible operators, byte order mark, annotation marks, tags, lone surrogates.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is its purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Text of several lines: newlines and tabs stay, `\r\n` becomes a newline, everything else unsafe is shown escaped. */
export function escapeText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (found) => (found === '\n' || found === '\t' ? found : escapeOf(found)));
}

/** Text for one line: newlines and tabs are shown escaped too. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** JSON text of a value in which nothing unsafe is literal; parses to the same value. */
export function renderJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent) ?? 'null');
}

/** JSON text with every unsafe character in it as a JSON escape; newlines and tabs between tokens stay. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (found) =>
    found === '\n' || found === '\t' || found === '\r' ? found : jsonEscapeOf(found),
  );
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function escapeOf(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (SHORT[found] !== undefined) return SHORT[found];
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\u{${hex(code, 0)}}` : `\\u${hex(code, 4)}`;
}

function jsonEscapeOf(found: string): string {
  let escaped = '';
  for (let index = 0; index < found.length; index += 1) escaped += `\\u${hex(found.charCodeAt(index), 4)}`;
  return escaped;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
