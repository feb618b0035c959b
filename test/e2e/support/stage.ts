/**
 * A person's machine: a repository, a HOME, a state folder, and `ramet` on it.
 *
 * 1. Nothing of this machine's settings reaches the command but PATH.
 * 2. A stage that closes has its store audited.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox } from '@ramet/runtime/sandbox';
import {
  auditStore,
  digestTree,
  type Fingerprint,
  makeRepository,
  makeScratchArea,
  renderProblem,
  type ScratchArea,
  takeFingerprint,
} from '@ramet/testkit';
import { expect, type TestContext } from 'vitest';
import { BIN, type Ended, NODE_PATH, parseAnswer, type Running, startProgram } from './command.ts';
import { readEvents, readLog, type StoredEvent } from './store.ts';

/** A reply of a scripted model. */
export interface Reply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}

export interface CallOptions {
  /** More arguments of `run`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** What `run --json` answers. */
export interface RunAnswer {
  readonly session: string;
  readonly turn: number;
  readonly end: { readonly offset: number; readonly reason: string };
  readonly text: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly denied: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

export interface StageOptions {
  /** Of the repository's one commit. */
  readonly files?: Readonly<Record<string, string>>;
  /** Part of every path of the stage. */
  readonly name?: string;
  /** Name of the repository's folder. */
  readonly repository?: string;
}

/** Skips a test that runs the agent's commands where no sandbox can be had. */
export async function skipWithoutSandbox(ctx: TestContext): Promise<void> {
  const probe = await probeSandbox();
  if (probe.kind === 'absent') ctx.skip(`tool missing: bwrap (${probe.reason})`);
}

/** A stage that closes when its test ends; `damaged` lets it keep a store that fails the audit. */
export function openStage(ctx: TestContext, options: StageOptions & { readonly damaged?: boolean } = {}): Stage {
  const stage = new Stage(options);
  ctx.onTestFinished(() => stage.close(options));
  return stage;
}

/** One shell call as a reply. */
export function callShell(command: string): Reply {
  return { toolCalls: [{ name: 'shell', input: { command } }] };
}

export class Stage {
  readonly area: ScratchArea;
  /** The person's checkout. */
  readonly repository: string;
  /** The state folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  #scripts = 0;

  constructor(options: StageOptions = {}) {
    const { files = { 'base.txt': 'base\n' }, name = 'area', repository = 'project' } = options;
    this.area = makeScratchArea(name);
    this.repository = makeRepository(this.area, repository, files);
    this.home = join(this.area.folder, 'state');
    const temp = join(this.area.folder, 'temp');
    mkdirSync(temp);
    this.env = {
      PATH: NODE_PATH,
      HOME: this.area.home,
      TMPDIR: temp,
      LANG: 'C.UTF-8',
      RAMET_HOME: this.home,
      // Shared by the stages of a run: compiling the command anew is most of a short process's time.
      NODE_COMPILE_CACHE: join(tmpdir(), 'compiled'),
    };
  }

  start(args: readonly string[], options: CallOptions = {}): Running {
    const { cwd = this.repository, env = {}, input } = options;
    const surroundings = { cwd, env: { ...this.env, ...env }, ...(input === undefined ? {} : { input }) };
    return startProgram(process.execPath, [BIN, ...args], surroundings);
  }

  /** Runs the command to its end. */
  ramet(args: readonly string[], options: CallOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** Runs it with `--json`, which must end with this exit code, and answers its document. */
  async ask(
    args: readonly string[],
    options: CallOptions & { readonly exit?: number } = {},
  ): Promise<Record<string, unknown>> {
    const ended = await this.ramet([...args, '--json'], options);
    const shown = `ramet ${args.join(' ')}: ${ended.stdout}${ended.stderr}`;
    expect(ended.code, shown).toBe(options.exit ?? 0);
    return parseAnswer(ended);
  }

  /** Writes a script outside the repository and answers the model's name. */
  writeScript(replies: readonly Reply[]): string {
    this.#scripts += 1;
    const path = join(this.area.folder, `script-${this.#scripts}.json`);
    writeFileSync(path, JSON.stringify(replies));
    return `scripted:${path}`;
  }

  /** One turn by these replies, which must complete; null makes a new session. */
  async play(session: string | null, replies: readonly Reply[], options: CallOptions = {}): Promise<RunAnswer> {
    const where = session === null ? [] : ['--session', session];
    const args = ['run', ...where, '--model', this.writeScript(replies), ...(options.args ?? []), 'go on'];
    const answer = (await this.ask(args, options)) as unknown as RunAnswer;
    expect(answer.end, JSON.stringify(answer)).toMatchObject({ reason: 'completed' });
    return answer;
  }

  /** T(S, sh): one shell call, which must succeed, then the turn ends. */
  async turn(session: string | null, command: string, options: CallOptions = {}): Promise<RunAnswer> {
    const answer = await this.play(session, [callShell(command), { text: 'done' }], options);
    const results = this.eventsOf(answer.session).filter(({ type }) => type === 'tool.result');
    expect(results.at(-1)?.output).toMatchObject({ value: { exitCode: 0 } });
    return answer;
  }

  /** F(S, n): a fork at the n-th completed turn, from 1, or at the last; the child's id, as printed. */
  async fork(session: string, turn?: number): Promise<string> {
    const end = turn === undefined ? undefined : this.eventsOfType(session, 'session.end')[turn - 1];
    if (turn !== undefined && end === undefined) throw new Error(`${session} has no turn ${turn}`);
    const ended = await this.ramet(['fork', session, ...(end === undefined ? [] : ['--at', String(end.seq)])]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    return ended.stdout.trim();
  }

  folderOf(session: string): string {
    return join(this.home, 'runs', session);
  }

  workspaceOf(session: string): string {
    return join(this.folderOf(session), 'workspace');
  }

  logOf(session: string): Buffer {
    return readLog(this.home, session);
  }

  eventsOf(session: string): readonly StoredEvent[] {
    return readEvents(this.home, session);
  }

  eventsOfType(session: string, type: string): readonly StoredEvent[] {
    return this.eventsOf(session).filter((event) => event.type === type);
  }

  /** `carried` folders are left out. */
  fingerprintOf(session: string, carried: readonly string[] = []): Promise<Fingerprint> {
    return takeFingerprint(this.workspaceOf(session), { carried });
  }

  /** A digest of the state folder: equal when nothing in it changed. */
  digest(): string {
    return digestTree(this.home);
  }

  /** Copies the state folder aside and answers a stage's environment that uses the copy. */
  copyState(name: string): { readonly home: string; readonly env: { readonly RAMET_HOME: string } } {
    const home = join(this.area.folder, name);
    cpSync(this.home, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    return { home, env: { RAMET_HOME: home } };
  }

  /** What the auditor finds wrong with the store. */
  problems(): readonly string[] {
    return auditStore(this.home).map(renderProblem);
  }

  /** Removes everything; the store must pass the audit unless the test damaged it. */
  close({ damaged = false }: { readonly damaged?: boolean } = {}): void {
    try {
      if (!damaged) expect(this.problems()).toEqual([]);
    } finally {
      this.area.remove();
    }
  }
}
