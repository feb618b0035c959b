/** The sessions and runs of the demonstration in the browser interface, to be forked with the mouse. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from './command.ts';
import { say } from './facts.ts';

export interface ServeStage {
  /** A folder that nobody else can read. */
  readonly folder: string;
  readonly ramet: Command;
}

/** Serves until SIGINT or SIGTERM, and says the address; throws when the daemon cannot begin. */
export async function serveDemonstration({ folder, ramet }: ServeStage): Promise<void> {
  const daemon = ramet.start(['serve', '--port', '0', '--json']);
  const ended = once(daemon, 'exit');
  const end = () => daemon.kill('SIGTERM');
  process.on('SIGINT', end).on('SIGTERM', end);
  const url = await readAddress(daemon);
  if (url !== null) {
    say('browser', url);
    say('', 'Ctrl-C ends it and removes everything');
    openInBrowser(folder, url);
  }
  const [code] = await ended;
  if (url === null || code !== 0) throw new Error(`ramet serve ended with ${code}`);
}

/** The address it says when it listens; null when it ends without. */
async function readAddress({ stdout }: ChildProcess): Promise<string | null> {
  if (stdout === null) return null;
  for await (const line of createInterface({ input: stdout })) {
    return (JSON.parse(line) as { readonly url: string }).url;
  }
  return null;
}

/** Opens the address where a person sits at a desktop. Everybody can read the arguments of a program: the token is in a file. */
function openInBrowser(folder: string, url: string): void {
  const isDesktop = process.platform === 'darwin' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  if (!process.stdout.isTTY || !isDesktop) return;
  const page = join(folder, 'open.html');
  writeFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, { mode: 0o600 });
  const opener = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [page], {
    stdio: 'ignore',
    detached: true,
  });
  // Where there is no such program, the address is on the screen.
  opener.on('error', () => {}).unref();
}
