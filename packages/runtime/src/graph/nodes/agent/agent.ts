/**
 * An agent node (W18): the turn loop of a session over the node's own conversation. With a schema, an answer that does
 * not fit it is said to be wrong once, in a second turn.
 */
import { type AgentNode, canonicalJson, evaluateAtNode, nextStep } from '@ramet/core';
import { draftConfig, identifyModel } from '../../../session/config-event.ts';
import { readInstructions } from '../../../session/instructions.ts';
import { record, type TurnContext } from '../../../session/turn/context.ts';
import { endTurn } from '../../../session/turn/end.ts';
import type { StepOutcome } from '../../../session/turn/outcome.ts';
import { takeStep } from '../../../session/turn/turn.ts';
import { describeRestore } from '../../../session/workspace/notices.ts';
import { builtinTools, type Tool } from '../../../tools/index.ts';
import { coversTool, isMcpToolName } from '../../../tools/names.ts';
import type { OpenRun } from '../../drive/types.ts';
import type { NodeWork, WorkEnd } from '../types.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { lastTextOf, readOutput } from './output.ts';

/** Runs an agent to the end of its turn, or goes on with the one it is in. */
export async function runAgent(run: OpenRun, work: NodeWork, definition: AgentNode): Promise<WorkEnd> {
  const { system, files } = instruct(work, definition);
  const { model, maxRequests } = definition;
  const conversation = openConversation(run, work, {
    system,
    tools: toolsOf(run, definition),
    ...(model === undefined ? {} : { model }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
  });
  const { context } = conversation;
  const { model: opened, tools, rules, toolContext } = context;
  const config = {
    model: identifyModel(opened),
    tools: tools.values(),
    rules,
    context: toolContext,
    instructions: files,
  };
  await record(context, [draftConfig(config)]);
  if (context.fold.state.turns === 0) await say(context, promptOf(run, work, definition), noticesOf(run, work));
  return converse(run, work, { conversation, definition });
}

interface Talk {
  readonly conversation: Conversation;
  readonly definition: AgentNode;
}

async function converse(run: OpenRun, work: NodeWork, { conversation, definition }: Talk): Promise<WorkEnd> {
  for (;;) {
    const { context } = conversation;
    const stopped = await drive(limitTurn(conversation, definition));
    if (stopped !== null) return endOfStop(run, work, stopped);
    const { lastEnd, turns } = context.fold.state;
    if (lastEnd?.reason !== 'completed') return endOfTurn(lastEnd);
    const output = await readOutput(lastTextOf(context.fold.state.context, run.decode), definition.output);
    if (output.kind === 'ok') return { kind: 'ok', output: output.value, drafts: [] };
    if (turns > 1) {
      const message = `its answer is not what the document asks for: ${output.problem}`;
      return { kind: 'failed', error: { code: 'output_invalid', message }, drafts: [] };
    }
    await say(context, `Your answer cannot be used: ${output.problem}. Answer again, with that JSON alone.`);
  }
}

/** `maxRequests` holds for all turns of an entry together. */
function limitTurn({ context, earlier }: Conversation, { maxRequests }: AgentNode): TurnContext {
  if (maxRequests === undefined) return context;
  const limits = { maxRequests: Math.max(0, maxRequests - earlier.requests) };
  return { ...context, settings: { ...context.settings, limits } };
}

type Stop = Extract<StepOutcome, { readonly kind: 'park' }> | { readonly kind: 'interrupted' };

/** Drives the open turn; null when it has ended. One that is interrupted stays open: it is gone on with. */
async function drive(context: TurnContext): Promise<Stop | null> {
  for (;;) {
    const step = nextStep(context.fold.state);
    if (step.kind === 'idle') return null;
    const outcome = await takeStep(context, step);
    if (outcome?.kind === 'park') return outcome;
    if (outcome?.kind === 'suspend') return { kind: 'interrupted' };
    if (outcome?.kind !== 'end') continue;
    if (context.signal.aborted) return { kind: 'interrupted' };
    await endTurn(context, outcome);
  }
}

function endOfStop(run: OpenRun, { node }: NodeWork, stop: Stop): WorkEnd {
  if (stop.kind === 'interrupted') return { kind: 'interrupted', drafts: [] };
  const { reason, offset, message } = stop;
  if (reason === 'outcome_unknown') return { kind: 'parked', reason, offset, message };
  const waits = `a call of ${node.path} waits for a person; go on at a terminal with \`ramet resume ${run.id}\``;
  return { kind: 'parked', reason, offset, message: waits };
}

function endOfTurn(end: TurnContext['fold']['state']['lastEnd']): WorkEnd {
  const error = end?.error ?? { code: 'node_failed', message: `its turn ended: ${end?.reason ?? 'unknown'}` };
  return { kind: 'failed', error, drafts: [], ...(end?.reason === 'limit' ? { final: true } : {}) };
}

async function say(context: TurnContext, text: string, notices: readonly string[] = []): Promise<void> {
  const words = notices.length === 0 ? {} : { notices };
  await record(context, [{ type: 'message', message: { role: 'user', content: text }, ...words }], { durable: true });
}

/** Words about files that are not what they were. */
function noticesOf({ restored }: OpenRun, { place }: NodeWork): readonly string[] {
  const { kind, access } = place.use;
  const notice = kind === 'run' && access !== 'none' ? describeRestore(restored) : null;
  return notice === null ? [] : [notice];
}

/** What the agent is told: its prompt, or its input as text. */
function promptOf(run: OpenRun, { node }: NodeWork, { prompt }: AgentNode): string {
  const { journal, decode } = run;
  const value = prompt === undefined ? node.input : evaluateAtNode({ state: journal.state, decode }, node.path, prompt);
  return typeof value === 'string' ? value : canonicalJson(value);
}

const WITHOUT_FILES = 'You are one step of a workflow. Answer what you are asked, and nothing else.';

/** As a session's, with the document's own words; an agent without files is told of none. */
function instruct(work: NodeWork, { instructions, output }: AgentNode): ReturnType<typeof readInstructions> {
  const hasFiles = work.place.use.access !== 'none';
  const { system, files } = hasFiles ? readInstructions(work.place.path, '') : { system: WITHOUT_FILES, files: [] };
  const asked =
    output === undefined
      ? []
      : [`Your last message must be JSON, and nothing else, that fits this JSON Schema: ${canonicalJson(output)}`];
  return { system: [system, ...(instructions === undefined ? [] : [instructions]), ...asked].join('\n\n'), files };
}

/** `*` is every built-in tool. */
function toolsOf({ tools }: OpenRun, definition: AgentNode): readonly Tool[] {
  const builtin = new Set(builtinTools().map(({ name }) => name));
  const wanted = definition.tools ?? [];
  const covers = (name: string, tool: string): boolean =>
    name === '*' ? builtin.has(tool) : isMcpToolName(name) ? coversTool(name, tool) : name === tool;
  return [...tools.values()].filter((tool) => wanted.some((name) => covers(name, tool.name)));
}
