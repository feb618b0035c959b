/** The browser interface with a long session: how soon it is there, and whether it keeps up with whoever scrolls. */
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { buildSession, type TurnPlan } from '@ramet/testkit';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Area, makeId, openStore } from './area.ts';
import { measurePair, type Row } from './measure.ts';
import { startServing, stopServing } from './serve.ts';

/** Where Debian has it. */
const CHROMIUM = '/usr/bin/chromium';

/** Of `makeTurn`. */
const EVENTS_PER_TURN = 11;
const OPEN_TARGET_MS = 1500;
/** How often the wheel is turned, and by how many pixels. */
const WHEEL = { turns: 60, pixels: 400 };

/** Opens and scrolls a session of this many events, and one of a single turn; nothing where there is no Chromium. */
export async function measureWeb(area: Area, events: number): Promise<readonly Row[]> {
  const browser = await launch();
  if (browser === null) return [];
  const home = join(area.folder, 'web');
  const [long, short] = [await makeSession(home, events / EVENTS_PER_TURN), await makeSession(home, 1)];
  const daemon = await startServing(area.folder, home);
  try {
    const site = { browser, url: daemon.url };
    return [await measureOpening(site, { long, short, events }), await measureScrolling(site, { long, short, events })];
  } finally {
    await stopServing(daemon);
    await browser.close();
  }
}

interface Site {
  readonly browser: Browser;
  /** What `ramet serve` printed. */
  readonly url: string;
}

interface Sessions {
  readonly long: RunId;
  readonly short: RunId;
  readonly events: number;
}

/** From the address to the last answer on the screen, in a browser that has nothing of it. */
function measureOpening(site: Site, { long, short, events }: Sessions): Promise<Row> {
  const open = async (id: RunId): Promise<number> => {
    const context = await site.browser.newContext();
    const page = await context.newPage();
    const started = performance.now();
    await openSession(page, site, id);
    const ms = performance.now() - started;
    await context.close();
    return ms;
  };
  return measurePair({
    name: `open a session of ${events} events in a new browser`,
    floor: 'one of a single turn',
    rounds: 5,
    subject: () => open(long),
    base: () => open(short),
    target: { ms: OPEN_TARGET_MS },
  });
}

/** Wheel by wheel, each waiting for the next frame. */
async function measureScrolling(site: Site, { long, short, events }: Sessions): Promise<Row> {
  const tasks: number[] = [];
  const scroll = async (id: RunId, seen: number[]): Promise<number> => {
    const context = await site.browser.newContext();
    const page = await context.newPage();
    await openSession(page, site, id);
    await page.evaluate(WATCH_LONG_TASKS);
    await page.mouse.move(400, 300);
    const started = performance.now();
    for (let turn = 0; turn < WHEEL.turns; turn += 1) {
      await page.mouse.wheel(0, -WHEEL.pixels);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    const ms = performance.now() - started;
    seen.push(...(await page.evaluate<number[]>('globalThis.longTasks')));
    await context.close();
    return ms;
  };
  return measurePair({
    name: `scroll ${WHEEL.turns * WHEEL.pixels} pixels up in it (${events} events)`,
    floor: 'in one that does not scroll',
    rounds: 3,
    subject: () => scroll(long, tasks),
    base: () => scroll(short, []),
    note: () => describeTasks(tasks),
  });
}

const WATCH_LONG_TASKS = `globalThis.longTasks = [];
  new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`;

/** All rounds are in it, the uncounted one too. */
function describeTasks(tasks: readonly number[]): string {
  if (tasks.length === 0) return 'no task over 50 ms (aim: none: holds)';
  return `${tasks.length} tasks over 50 ms in all rounds, the longest ${Math.max(...tasks).toFixed(0)} ms (aim: none: MISSED)`;
}

async function openSession(page: Page, { url }: Site, id: RunId): Promise<void> {
  const { origin, hash } = new URL(url);
  await page.goto(`${origin}/s/${id}${hash}`);
  await page.getByText('the last of the turn').last().waitFor();
}

async function makeSession(home: string, turns: number): Promise<RunId> {
  const id = makeId();
  const staged = openStore(home).stage(id);
  const plans = Array.from({ length: Math.ceil(turns) }, (_, index) => makeTurn(index));
  staged.append(buildSession({ id, project: null, workspace: 'directory', title: `${turns} turns`, turns: plans }));
  await staged.commit();
  return id;
}

/** As agents work: a request, two calls, an answer with some markup. */
function makeTurn(index: number): TurnPlan {
  const command = { command: `npm test -- --grep 'case ${index}'` };
  const output = { type: 'text', value: `ok ${index}\n`.repeat(20) } as const;
  const answer = `## Turn ${index}\n\n- It is **done**, see \`file-${index}.ts\`\n\n\`\`\`ts\nconst x = ${index};\n\`\`\`\n\nthe last of the turn`;
  return {
    prompt: `Please go on with case ${index}. ${'More words. '.repeat(10)}`,
    replies: [
      { text: 'I look at it.', calls: [1, 2].map(() => ({ tool: 'shell', input: command, output, contained: true })) },
      { text: answer },
    ],
  };
}

/** Chromium refuses its own sandbox to root; it opens nothing but pages of the daemon. */
async function launch(): Promise<Browser | null> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  try {
    return await chromium.launch({ executablePath: CHROMIUM, args });
  } catch (error) {
    process.stderr.write(`not measured: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}\n`);
    return null;
  }
}
