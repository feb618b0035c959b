/** Serves the API and the browser interface, and drives what is begun through them, until it is told to end. */
import { isRefusal } from '@ramet/core/codes';
import { escapeLine } from '@ramet/core/text';
import type { DaemonReport } from '@ramet/server/daemon';
import { type Serving, serve as startServing } from '@ramet/server/serve';
import type { CliContext } from '../context.ts';
import type { ServeFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';
import { readVersion } from '../version.ts';
import { findWebFolder } from '../web-folder.ts';
import { servicesOf } from './drive.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 18473;

/** Serves until SIGINT or SIGTERM; the one document or line it answers with is printed when it listens. */
export const serve: Action<ServeFlags, []> = async (context, flags) => {
  const store = openStore(context);
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, allowRemote } = flags;
  const { signal } = context.watchInterruption();
  const onFault = (error: unknown): void => logLine(context, `fault ${escapeLine(nameFault(error))}`);
  // What one session leaves uncaught must not end the others: what counts is in the logs, and they are appended to or not.
  process.on('uncaughtException', onFault);
  const serving = await startServing({
    services: servicesOf(context, store),
    cwd: context.cwd,
    version: readVersion(),
    host,
    port,
    allowRemote: allowRemote === true,
    web: findWebFolder(),
    report: (report) => logLine(context, renderReport(report)),
    onRefused: (status, count) => logLine(context, `refused ${status}${count > 1 ? ` (${count} times)` : ''}`),
    onFault,
  });
  if (isRefusal(serving)) return serving;
  announce(context, serving, flags);
  await waitFor(signal);
  logLine(context, 'ending: what is at work is suspended, and taken up by the next start');
  await serving.close();
  return {};
};

function announce(context: CliContext, serving: Serving, flags: ServeFlags): void {
  const { url: address, socket, token } = serving;
  // Whoever chose the token knows it; it belongs in no log that another reads.
  const url = context.env.RAMET_TOKEN ? `${address}/` : `${address}/#token=${token}`;
  const line = flags.json ? JSON.stringify({ url, address, socket, pid: process.pid }) : url;
  context.stdout.write(`${line}\n`);
}

function waitFor(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function logLine({ stderr, now }: CliContext, text: string): void {
  stderr.write(`${new Date(now()).toISOString()} ${text}\n`);
}

/** Whole ids: a log is searched for them, and a short one would cost a look at every run. */
function renderReport(report: DaemonReport): string {
  const { id } = report;
  switch (report.kind) {
    case 'began':
      return `began ${report.work} ${id}`;
    case 'ended':
      return `ended ${id}: ${escapeLine(report.status)}`;
    case 'failed':
      return `failed ${id}: ${escapeLine(report.code)}`;
    case 'dropped':
      return `not taken up ${id}: ${escapeLine(report.code)}`;
    case 'left':
      return `left ${id}: it did not stop in time`;
  }
}

/** The kind of an error and where it was thrown: its message may hold what was worked on. */
function nameFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const [, place = ''] = /\n\s+(at .*)/.exec(error.stack ?? '') ?? [];
  return `${error.name} ${place}`;
}
