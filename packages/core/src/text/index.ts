export { type ColumnOptions, renderColumns } from './columns.ts';
export { escapeJson, escapeLine, escapeText, renderJson } from './escape.ts';
export { findNearest } from './nearest.ts';
export { TITLE_LIMIT } from './title.ts';
export { parseBytes, renderAge, renderBytes, renderCount } from './units.ts';
export { padText, truncateText, widthOf } from './width.ts';
export { renderWords } from './words.ts';
export { wrapLine, wrapWords } from './wrap.ts';
