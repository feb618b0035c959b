/** Templates: texts of JSON in which `${{ … }}` stands for a value, and `$${{` for `${{`. */

/** A part of a text. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly text: string }
  | { readonly kind: 'broken'; readonly message: string };

/** What begins an expression. */
export const OPEN = '${{';

/** The parts of a text, in order. A text without `${{` is itself. */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf(OPEN); at !== -1; at = text.indexOf(OPEN, from)) {
    literal += text.slice(from, at);
    if (literal.endsWith('$') && at > from) {
      literal = literal.slice(0, -1) + OPEN;
      from = at + OPEN.length;
      continue;
    }
    const end = findEnd(text, at + OPEN.length);
    if (end === -1)
      return [{ kind: 'broken', message: `'${OPEN}' without '}}' (for the text itself write '$${OPEN}')` }];
    if (literal !== '') parts.push({ kind: 'text', text: literal });
    literal = '';
    parts.push({ kind: 'expression', text: text.slice(at + OPEN.length, end).trim() });
    from = end + 2;
  }
  literal += text.slice(from);
  if (literal !== '' || parts.length === 0) parts.push({ kind: 'text', text: literal });
  return parts;
}

/** Where `}}` ends an expression: outside texts, comments and braces of its own; -1 when nothing does. */
function findEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"' || char === "'") {
      at = skipText(text, at);
    } else if (char === '/' && text[at + 1] === '/') {
      const line = text.indexOf('\n', at);
      if (line === -1) return -1;
      at = line;
    } else if (char === '{') {
      depth += 1;
    } else if (char === '}') {
      if (depth === 0) return text[at + 1] === '}' ? at : -1;
      depth -= 1;
    }
  }
  return -1;
}

/** The last character of a quoted text that begins at a place, or the end of all. */
function skipText(text: string, from: number): number {
  const quote = text[from] ?? '';
  const mark = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  for (let at = from + mark.length; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(mark, at)) return at + mark.length - 1;
  }
  return text.length;
}
