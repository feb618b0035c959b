/**
 * The one call of a tool node (W16, W17, W19, W20).
 *
 * 1. The intent is durable before anything happens; what is denied has none.
 * 2. A call whose result is recorded is not made again: the node takes the result.
 * 3. A write that may have reached the outside and was not answered has no result and no exit: it waits for a person.
 */
import {
  type Contained,
  canonicalJson,
  type Effect,
  type EventDraft,
  keyOfNodeCall,
  type NodeCall,
  type NodePath,
  TOOL_CALL_ID,
  type ToolNode,
  type ToolOutput,
} from '@ramet/core';
import { decideCall } from '../../session/turn/calls/permissions.ts';
import type { PolicyVerdict } from '../../session/turn/calls/policy.ts';
import { describeUnknown } from '../../session/turn/calls/unknown.ts';
import { sha256 } from '../../store/index.ts';
import type { Tool, ToolAnswer, ToolContext } from '../../tools/index.ts';
import { findValueProblem } from '../documents/value-problem.ts';
import type { OpenRun } from '../drive/types.ts';
import { judgeCall } from '../history/judge-call.ts';
import { askAboutNode } from './ask.ts';
import { makeExecTool, recordedInput } from './exec.ts';
import { toolContextOf } from './tool-context.ts';
import type { NodeWork, WorkEnd } from './types.ts';

/** One call that may be made. */
interface ReadyCall {
  readonly tool: Tool;
  readonly effect: Effect;
  readonly contained: Contained;
  /** As it is recorded. */
  readonly input: unknown;
  readonly volatile: readonly string[];
  readonly context: ToolContext;
}

/** Makes the call of a tool node, or takes up what an attempt before this one left. */
export async function runTool(run: OpenRun, work: NodeWork, definition: ToolNode): Promise<WorkEnd> {
  const { call } = work;
  if (call?.result !== undefined) return endOf(run.decode(call.result.output) as ToolOutput, []);
  if (call?.resolution !== undefined && call.resolution.resolution === 'happened') return takeWord(run, work, call);
  const tool = findTool(run, work, definition);
  if (tool === null) {
    const message = `there is no tool ${definition.tool ?? 'exec'} now`;
    return { kind: 'failed', error: { code: 'node_failed', message }, drafts: [] };
  }
  const ready = prepare(run, work, { tool, definition });
  const earlier = call === undefined ? judge(run, work, ready) : null;
  const permitted = await permit(run, work, { ready, earlier });
  if (permitted !== 'go') return permitted;
  if (work.signal.aborted) return { kind: 'interrupted', drafts: [] };
  const applied = await recover(ready, call);
  return applied === null ? makeCall(run, work, { ready, earlier }) : settle(run, work, { ready, answer: applied });
}

function findTool(run: OpenRun, work: NodeWork, { tool, exec, effect }: ToolNode): Tool | null {
  if (exec === undefined) return run.tools.get(tool ?? '') ?? null;
  return makeExecTool({
    exec,
    effect: effect ?? 'write',
    run: run.id,
    node: work.node.path,
    attempt: work.node.attempt,
    cwd: run.journal.state.cwd,
    env: run.services.env,
  });
}

function prepare(
  run: OpenRun,
  work: NodeWork,
  { tool, definition }: { readonly tool: Tool; readonly definition: ToolNode },
): ReadyCall {
  const context = toolContextOf(run, work);
  const { exec, effect, volatile = [] } = definition;
  const { input } = work.node;
  return {
    tool,
    effect: exec === undefined ? stricter(tool.effect, effect) : tool.effect,
    contained: tool.contained(context),
    input: exec === undefined ? input : recordedInput(exec, input),
    volatile: [...volatile, ...(tool.volatile ?? [])],
    context,
  };
}

const STRICTNESS: readonly Effect[] = ['read', 'idempotent', 'write'];

/** A document may only say that a call does more than its tool says. */
function stricter(own: Effect, wanted: Effect | undefined): Effect {
  return wanted !== undefined && STRICTNESS.indexOf(wanted) > STRICTNESS.indexOf(own) ? wanted : own;
}

/** A call, and what the calls of the run this one was forked from say about it. */
interface JudgedReady {
  readonly ready: ReadyCall;
  readonly earlier: PolicyVerdict | null;
}

function judge(run: OpenRun, work: NodeWork, ready: ReadyCall): PolicyVerdict | null {
  const { tool, input, effect, contained, volatile } = ready;
  return judgeCall(run, { node: work.node.path, index: 0, tool: tool.name, input, effect, contained, volatile });
}

/** Starting the run was the consent to what its document calls: only a rule, or a fork, says otherwise. */
async function permit(run: OpenRun, work: NodeWork, { ready, earlier }: JudgedReady): Promise<'go' | WorkEnd> {
  const { tool, input, contained } = ready;
  const facts = { tool: tool.name, subject: tool.subject(input), contained };
  const verdict = decideCall(facts, [...run.rules, { tool: '*', do: 'allow' }]);
  if (verdict.kind === 'deny') {
    const message = `${tool.name} is denied by ${verdict.reason}`;
    return { kind: 'failed', error: { code: 'approval_denied', message }, final: true, drafts: [] };
  }
  const question = { callId: TOOL_CALL_ID, tool: tool.name, input };
  if (earlier?.kind === 'ask') {
    return askAboutNode(run, work, { ...question, reason: earlier.reason, outstanding: earlier.outstanding });
  }
  if (verdict.kind === 'allow' || work.call !== undefined) return 'go';
  return askAboutNode(run, work, { ...question, reason: verdict.reason, outstanding: [] });
}

/** A contained call that an attempt before this one began: the answer when it shows as done. */
async function recover({ tool, input, context }: ReadyCall, call: NodeCall | undefined): Promise<ToolAnswer | null> {
  if (call === undefined || tool.recover === undefined) return null;
  return call.intent.contained === true ? tool.recover(input, context) : null;
}

async function makeCall(run: OpenRun, work: NodeWork, { ready, earlier }: JudgedReady): Promise<WorkEnd> {
  const { tool, input, effect, contained, context } = ready;
  const { path: node } = work.node;
  const before = work.call?.intent;
  const acknowledged = earlier?.kind === 'acknowledged' ? earlier.offset : before?.acknowledged;
  const key = before?.key ?? (earlier?.kind === 'known' ? earlier.key : newKey(run, node, input));
  const intent: EventDraft = {
    type: 'tool.intent',
    node,
    callId: TOOL_CALL_ID,
    tool: tool.name,
    input,
    effect,
    contained,
    key,
    ...(before === undefined ? {} : { attempt: (before.attempt ?? 1) + 1 }),
    ...(acknowledged === undefined ? {} : { acknowledged }),
  };
  const [recorded] = await run.journal.recordDurably([intent]);
  const answer = shallow(await tool.run(input, { ...context, key }));
  return settle(run, work, { ready, answer, offset: recorded?.seq ?? 0 });
}

/** An answer that no event can hold is said to be that; what the call did is done. */
function shallow(answer: ToolAnswer): ToolAnswer {
  const problem = findValueProblem(answer.output.value);
  return problem === null ? answer : { ...answer, output: { type: 'error-text', value: `its answer: ${problem}` } };
}

function newKey(run: OpenRun, path: NodePath, input: unknown): string {
  return keyOfNodeCall({ run: run.id, path, index: 0, input: sha256(canonicalJson(input)) }, sha256);
}

interface Answered {
  readonly ready: ReadyCall;
  readonly answer: ToolAnswer;
  /** Of the intent; absent when no call was made now. */
  readonly offset?: number;
}

/** What follows from an answer. */
function settle(run: OpenRun, work: NodeWork, { ready, answer, offset }: Answered): WorkEnd {
  const { tool } = ready;
  const { output } = answer;
  if (offset !== undefined && isUnknown(ready, answer)) {
    const why = answer.unknown === true ? wordsOf(output) : 'it was stopped before it had ended';
    return {
      kind: 'parked',
      reason: 'outcome_unknown',
      offset,
      message: describeUnknown(run.id, { tool: tool.name, offset, why }),
    };
  }
  const egress = answer.egress === undefined || answer.egress.length === 0 ? {} : { egress: answer.egress };
  const outcome = outcomeOf(answer);
  const base = { type: 'tool.result', node: work.node.path, callId: TOOL_CALL_ID, tool: tool.name } as const;
  const result: EventDraft = { ...base, outcome, output, ...egress };
  return answer.aborted === true ? { kind: 'interrupted', drafts: [result] } : endOf(output, [result]);
}

/** Whether a call may have reached the outside, and nobody said so (W20). */
function isUnknown({ effect, contained }: ReadyCall, answer: ToolAnswer): boolean {
  if (effect !== 'write' || contained === true) return false;
  const reached = contained === false || (answer.egress ?? []).length > 0;
  return answer.unknown === true || (answer.aborted === true && reached);
}

function outcomeOf({ output, aborted, unknown }: ToolAnswer): 'ok' | 'error' | 'interrupted' | 'outcome_unknown' {
  if (unknown === true) return 'outcome_unknown';
  if (aborted === true) return 'interrupted';
  return isError(output) ? 'error' : 'ok';
}

function isError({ type }: ToolOutput): boolean {
  return type === 'error-text' || type === 'error-json';
}

function endOf(output: ToolOutput, drafts: readonly EventDraft[]): WorkEnd {
  if (!isError(output)) return { kind: 'ok', output: output.value, drafts };
  return { kind: 'failed', error: { code: 'node_failed', message: wordsOf(output) }, drafts };
}

function wordsOf({ value }: ToolOutput): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** A person said that the call took effect: what they say it answered is its result. */
function takeWord(run: OpenRun, work: NodeWork, { intent, resolution }: NodeCall): WorkEnd {
  const output = (run.decode(resolution?.output) as ToolOutput | undefined) ?? { type: 'json', value: null };
  const { callId, tool } = intent;
  return endOf(output, [{ type: 'tool.result', node: work.node.path, callId, tool, outcome: 'ok', output }]);
}
