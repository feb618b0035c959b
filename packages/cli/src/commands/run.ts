import { realpathSync } from 'node:fs';
import type { Client } from '@ramet/client';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { dropUnusedFork } from '@ramet/runtime/fork';
import { findLastSession, findRun } from '@ramet/runtime/inspect';
import { runTurn, type TurnRequest, type TurnResult, type TurnSettings } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import { locateProject } from '@ramet/runtime/workspace/project';
import { type CliContext, type Interruption, isInteractive } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
import type { RunFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { observeTurn } from '../output/progress.ts';
import { answerTurn } from '../output/turn.ts';
import { openStore } from '../store.ts';
import { readAttachments } from './attachments.ts';
import { makeFork } from './fork.ts';
import { chooseAsker, settingsOf } from './settings.ts';

/** Runs one turn. */
export const run: Action<RunFlags, readonly string[]> = async (context, flags, words) => {
  const misuse = findMisuse(flags);
  if (misuse !== null) return refuse('bad_usage', misuse);
  const prompt = await readPrompt(context, words);
  if (isRefusal(prompt)) return prompt;
  if (prompt === null && flags.session === undefined && !flags.continue) return refuseWithoutPrompt(flags);
  const attachments = readAttachments(context, flags.attach ?? []);
  if (isRefusal(attachments)) return attachments;
  const store = openStore(context);
  const target = await chooseTarget(context, store, flags);
  if (isRefusal(target)) return target;
  const interruption = context.watchInterruption();
  return takeTurn(context, store, { flags, prompt, attachments, target, interruption });
};

interface Turn extends Pick<TurnRequest, 'prompt' | 'attachments'> {
  readonly flags: RunFlags;
  readonly target: Target;
  readonly interruption: Interruption;
}

async function takeTurn(context: CliContext, store: FileStore, turn: Turn): Promise<Answer | Refusal> {
  const { flags, prompt, attachments, target, interruption } = turn;
  const { now, randomBytes, env, sleep, cwd } = context;
  const progress = observeTurn(context, store, {
    isNew: target.session.kind === 'new',
    isEvents: flags.events === true,
    isJson: flags.json === true,
  });
  const settings = turnSettingsOf(context, flags, { interruption, progress });
  const services = { store, now, randomBytes, env, sleep };
  const started = context.elapsed();
  const request = { session: target.session, prompt, attachments, settings, cwd };
  const own = await runTurn(services, request).catch(async (error: unknown) => {
    if (target.madeFork !== null) await dropUnusedFork(store, target.madeFork);
    throw error;
  });
  const result = await takeTurnThere(context, store, { turn, own, settings });
  progress.end();
  if (isRefusal(result)) {
    if (target.madeFork !== null) await dropUnusedFork(store, target.madeFork);
    return (await retryInDirectory(context, store, { turn, refusal: result })) ?? result;
  }
  return answerTurn(context, store, { result, isTextShown: progress.isTextShown, ms: context.elapsed() - started });
}

/** By the daemon, where it is at work in the session. */
async function takeTurnThere(
  context: CliContext,
  store: FileStore,
  tried: { readonly turn: Turn; readonly own: TurnResult | Refusal; readonly settings: TurnSettings },
): Promise<TurnResult | Refusal> {
  const { turn, own, settings } = tried;
  const { session } = turn.target;
  if (session.kind === 'new') return own;
  const { id } = session;
  const { observer, ask } = settings;
  const asking = ask === undefined ? {} : { ask };
  const act = async (client: Client): Promise<TurnResult | Refusal> =>
    (await import('../daemon/turn.ts')).takeTurnThere(context, client, { ...turn, store, id, observer, ...asking });
  return orByDaemon(context, own, { store, id, act });
}

function turnSettingsOf(
  context: CliContext,
  flags: RunFlags,
  live: { readonly interruption: Interruption; readonly progress: ReturnType<typeof observeTurn> },
): TurnSettings {
  const { interruption, progress } = live;
  const { maxRequests } = flags;
  const common = settingsOf(flags, interruption);
  const askPerson: NonNullable<TurnSettings['ask']> = async (question, signal) => {
    const { askApproval } = await import('./ask.ts');
    progress.end();
    return askApproval(question, interruption, signal);
  };
  return {
    ...common,
    limits: { ...common.limits, ...(maxRequests === undefined ? {} : { maxRequests }) },
    forgetRules: flags.forgetRules === true,
    ...chooseAsker(context, flags, askPerson),
    observer: progress.observer,
  };
}

/** Outside a repository a person at a terminal is asked once whether to work in the folder itself. */
async function retryInDirectory(
  context: CliContext,
  store: FileStore,
  tried: { readonly turn: Turn; readonly refusal: Refusal },
): Promise<Answer | Refusal | null> {
  const { turn, refusal } = tried;
  const { flags, target } = turn;
  const isQuestion = refusal.code === 'no_workspace' && flags.workspace === undefined && target.session.kind === 'new';
  if (!isQuestion || !isInteractive(context)) return null;
  const { askYesNo } = await import('./ask.ts');
  const isWanted = await askYesNo(
    `This is no git repository. Let the agent work in ${context.cwd} itself, without checkpoints?`,
  );
  if (!isWanted || target.session.kind !== 'new') return null;
  const options = { ...target.session.options, workspace: 'directory' as const };
  const again = {
    ...turn,
    flags: { ...flags, workspace: 'directory' as const },
    target: { ...target, session: { kind: 'new' as const, options } },
  };
  return takeTurn(context, store, again);
}

interface Target {
  readonly session: TurnRequest['session'];
  /** The fork made for this very turn: without a turn it is not left behind. */
  readonly madeFork: RunId | null;
}

async function chooseTarget(context: CliContext, store: FileStore, flags: RunFlags): Promise<Target | Refusal> {
  const { session, fork, title, workspace, allowDirty } = flags;
  if (fork !== undefined) return forkTarget(context, store, flags);
  if (session !== undefined || flags.continue) {
    const id = session === undefined ? await findLast(context, store) : findRun(store, session);
    return isRefusal(id) ? id : { session: { kind: 'open', id }, madeFork: null };
  }
  const options = {
    cwd: context.cwd,
    allowDirty: allowDirty === true,
    ...(workspace === undefined ? {} : { workspace }),
    ...(title === undefined ? {} : { title }),
  };
  return { session: { kind: 'new', options }, madeFork: null };
}

async function forkTarget(context: CliContext, store: FileStore, flags: RunFlags): Promise<Target | Refusal> {
  const source = findRun(store, flags.fork ?? '');
  if (isRefusal(source)) return source;
  const made = await makeFork(context, store, { source, flags: { at: flags.at, title: flags.title } });
  if (isRefusal(made)) return made;
  if (made.session === null) throw new Error('bug: a fork that is no dry run made nothing');
  return { session: { kind: 'open', id: made.session }, madeFork: made.session };
}

async function findLast(context: CliContext, store: FileStore): Promise<RunId | Refusal> {
  const project = await locateProject({ stateFolder: store.layout.home, cwd: context.cwd });
  if (isRefusal(project)) return project;
  const last = findLastSession(store, { project: project?.id ?? null, folder: realpathSync(context.cwd) });
  return last ?? refuse('nothing_to_continue', `no session belongs to ${context.cwd}; start one: ramet run "..."`);
}

function findMisuse(flags: RunFlags): string | null {
  const { session, fork, at, title, workspace, allowDirty } = flags;
  const chosen = [session !== undefined && '--session', flags.continue && '--continue', fork !== undefined && '--fork'];
  const targets = chosen.filter((name) => typeof name === 'string');
  if (targets.length > 1) return `${targets.join(' and ')} exclude each other`;
  if (at !== undefined && fork === undefined) return '--at goes with --fork';
  if (targets.length === 0) return null;
  if (workspace !== undefined) return `--workspace is for a new session, not for ${targets[0]}`;
  if (allowDirty === true) return `--allow-dirty is for a new session, not for ${targets[0]}`;
  if (title !== undefined && fork === undefined) return `--title is for a new session; use \`ramet title\``;
  return null;
}

async function readPrompt(context: CliContext, words: readonly string[]): Promise<string | null | Refusal> {
  if (words.length === 0) return null;
  if (words.length > 1 && words.includes('-'))
    return refuse('bad_usage', "'-' reads the prompt from standard input: give it alone");
  const text = words[0] === '-' ? Buffer.from(await context.stdin.read()).toString('utf8') : words.join(' ');
  return text.trim() === '' ? refuse('bad_usage', 'the prompt is empty') : text;
}

function refuseWithoutPrompt(flags: RunFlags): Refusal {
  const instead =
    flags.fork === undefined ? 'ramet run "what to do"' : `ramet fork ${flags.fork}, which calls no model`;
  return refuse('nothing_to_do', `a prompt is missing: ${instead}`);
}
