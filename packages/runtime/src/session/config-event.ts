import { type EventDraft, type EventOf, SCHEMA } from '@ramet/core';
import type { Model } from '../model/index.ts';
import type { Tool, ToolContext } from '../tools/index.ts';
import type { PermissionRule } from './types.ts';

/** What an owner of a log works with from now on. */
export interface WorkingConfig {
  readonly model: EventOf<'session.config'>['model'];
  readonly tools: Iterable<Tool>;
  readonly rules: readonly PermissionRule[];
  readonly context: Pick<ToolContext, 'sandbox' | 'allowNet'>;
  readonly instructions: EventOf<'session.config'>['instructions'];
}

/** Records what a turn, a run or a node's conversation works with. */
export function draftConfig({ model, tools, rules, context, instructions }: WorkingConfig): EventDraft {
  return {
    type: 'session.config',
    schema: SCHEMA,
    model,
    tools: [...tools].map((tool) => ({ name: tool.name, effect: tool.effect, contained: tool.contained(context) })),
    permissions: rules,
    sandbox: context.sandbox.kind,
    allowNet: context.allowNet,
    instructions,
  };
}

/** The model of a turn as its configuration names it. */
export function identifyModel({ name, identity }: Pick<Model, 'name' | 'identity'>): WorkingConfig['model'] {
  return { name, ...identity };
}
