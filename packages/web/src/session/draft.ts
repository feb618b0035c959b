/**
 * What a person has begun for a session and not sent: words, and settings of its next turns. Kept by the browser until
 * its tab is closed, so that a reload loses nothing.
 */
import type { Settings } from '@ramet/client';

/** The settings that are sent with every message. */
export type TurnSettings = Pick<
  Settings,
  'model' | 'limits' | 'rules' | 'sandbox' | 'allowNet' | 'onAsk' | 'trustProject'
>;

/** Reads the words. */
export function readText(id: string): string {
  return sessionStorage.getItem(`ramet-text-${id}`) ?? '';
}

/** Keeps the words. */
export function keepText(id: string, text: string): void {
  keep(`ramet-text-${id}`, text);
}

/** Reads the settings. */
export function readSettings(id: string): TurnSettings {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(`ramet-settings-${id}`) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as TurnSettings) : {};
  } catch {
    return {};
  }
}

/** Keeps the settings. */
export function keepSettings(id: string, settings: TurnSettings): void {
  keep(`ramet-settings-${id}`, Object.keys(settings).length === 0 ? '' : JSON.stringify(settings));
}

function keep(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // The browser's room for it is full: it is kept by the page alone.
  }
}
