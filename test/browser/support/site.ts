/**
 * A person at a browser: a stage with a daemon that serves it, and pages of it.
 *
 * 1. A page in which anything goes wrong fails its test, unless the test said what would.
 * 2. Nobody but the page's origin is asked for anything.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { expect, type TestContext } from 'vitest';
import { type ServedDaemon, startDaemon, until } from '../../e2e/support/daemon.ts';
import { openStage, type Stage, type StageOptions } from '../../e2e/support/stage.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { watchPage } from './watch.ts';

export interface SiteOptions extends StageOptions {
  /** The test damages the store. */
  readonly damaged?: boolean;
  /** Of the daemon. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How long a page may take to show what is waited for, in milliseconds: the machine may be busy with other tests. */
const PATIENCE_MS = 20_000;

/** The last event of a session that takes a message. */
const AT_REST: ReadonlySet<string> = new Set(['session.end', 'session.fork']);

const TOKEN = 'token-of-the-browser-tests';

export class Site {
  readonly stage: Stage;
  /** What opens it. */
  readonly token = TOKEN;
  readonly #env: Readonly<Record<string, string>>;
  readonly #ctx: TestContext;
  readonly #expected: RegExp[] = [];
  readonly #context: BrowserContext;
  #daemon: ServedDaemon;

  constructor(parts: {
    readonly stage: Stage;
    readonly ctx: TestContext;
    readonly env: Readonly<Record<string, string>>;
    readonly context: BrowserContext;
    readonly daemon: ServedDaemon;
  }) {
    this.stage = parts.stage;
    this.#ctx = parts.ctx;
    this.#env = parts.env;
    this.#context = parts.context;
    this.#daemon = parts.daemon;
  }

  get daemon(): ServedDaemon {
    return this.#daemon;
  }

  /** Says which troubles of pages are meant to be. */
  expectTrouble(...kinds: readonly RegExp[]): void {
    this.#expected.push(...kinds);
  }

  /** Opens a page with the token, as the line that `ramet serve` prints does. */
  async open(path = '/', { token = TOKEN }: { readonly token?: string } = {}): Promise<Page> {
    const { address } = this.#daemon.listening;
    const page = await this.#context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const { troubles } = await watchPage(page, address);
    this.#ctx.onTestFinished(async () => {
      await page.close();
      const unexpected = troubles.filter((trouble) => !this.#expected.some((kind) => kind.test(trouble)));
      expect(unexpected, 'what went wrong in the page').toEqual([]);
    });
    await page.goto(`${address}${path}#token=${token}`);
    return page;
  }

  /** Begins a session by the API, as another client would; its id. */
  async begin(body: Readonly<Record<string, unknown>>): Promise<string> {
    return String((await this.#post('/v1/sessions', { prompt: 'do it', cwd: this.stage.repository, ...body })).session);
  }

  /** Says something in a session by the API once its turn is recorded as ended: an answer is in sight before that. */
  async say(session: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    await until(() => AT_REST.has(this.stage.eventsOf(session).at(-1)?.type ?? ''));
    await this.#post(`/v1/sessions/${session}/messages`, body, 202);
  }

  /** Forks a session by the API; the child's id. */
  async fork(session: string): Promise<string> {
    return String((await this.#post(`/v1/sessions/${session}/fork`, {})).session);
  }

  /** Starts a graph run by the API; its id. */
  async startRun(body: Readonly<Record<string, unknown>>): Promise<string> {
    return String((await this.#post('/v1/runs', { cwd: this.stage.repository, ...body })).run);
  }

  /** Starts the daemon anew where it listened, after it was ended. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.#daemon.listening.address).port);
    this.#daemon = await startDaemon(this.stage, this.#ctx, { env: this.#env, port });
  }

  async #post(
    path: string,
    body: Readonly<Record<string, unknown>>,
    status = 201,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#daemon.ask(path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    return answer.body;
  }
}

/** Opens a stage with a daemon and a browser; all ends with the test. */
export async function openSite(ctx: TestContext, options: SiteOptions = {}): Promise<Site> {
  skipWithoutBrowser(ctx);
  const stage = openStage(ctx, options);
  const env = { RAMET_TOKEN: TOKEN, ...options.env };
  const daemon = await startDaemon(stage, ctx, { env });
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 800 } });
  ctx.onTestFinished(() => context.close());
  return new Site({ stage, ctx, env, context, daemon });
}
