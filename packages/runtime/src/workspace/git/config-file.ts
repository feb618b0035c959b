/** Writes git config files of ours: every value quoted, so no value can start a line or a section of its own. */
import { invariant } from '@ramet/core/codes';

export interface ConfigEntry {
  readonly section: string;
  /** As written between the quotes of `[section "subsection"]`. */
  readonly subsection?: string;
  readonly name: string;
  readonly value: string;
}

/** A git config file with these entries, in order. */
export function renderConfig(entries: readonly ConfigEntry[]): string {
  let text = '';
  let header = '';
  for (const entry of entries) {
    const next = renderHeader(entry);
    if (next !== header) text += `${next}\n`;
    header = next;
    invariant(/^[a-zA-Z][a-zA-Z0-9-]*$/.test(entry.name), `a config variable may be named ${entry.name}`);
    text += `\t${entry.name} = ${renderValue(entry.value)}\n`;
  }
  return text;
}

/** Whether a subsection and a value can be held by a config file at all. */
export function canHoldConfig(subsection: string, value: string): boolean {
  return !/[\n\0]/.test(subsection) && !value.includes('\0');
}

/** The entries that say which format a repository has. */
export function formatEntries(objectFormat: string): ConfigEntry[] {
  if (objectFormat === 'sha1') return [{ section: 'core', name: 'repositoryformatversion', value: '0' }];
  return [
    { section: 'core', name: 'repositoryformatversion', value: '1' },
    { section: 'extensions', name: 'objectFormat', value: objectFormat },
  ];
}

function renderHeader({ section, subsection }: ConfigEntry): string {
  invariant(/^[a-zA-Z][a-zA-Z0-9-]*$/.test(section), `a config section may be named ${section}`);
  if (subsection === undefined) return `[${section}]`;
  return `[${section} "${subsection.replace(/[\\"]/g, '\\$&')}"]`;
}

function renderValue(value: string): string {
  const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
