import type { Decode, EventOf, Graph, RunId } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import type { PermissionRule } from '../../session/index.ts';
import type { Tool } from '../../tools/index.ts';
import type { Rewalk } from '../history/rewalk.ts';
import type { Journal } from '../journal.ts';
import type { RunModels } from '../nodes/models.ts';
import type { Places } from '../places/places.ts';
import type { RunServices, RunSettings } from '../types.ts';

/** A run that is ours and ready to be driven: what its nodes share. */
export interface OpenRun {
  readonly id: RunId;
  readonly services: RunServices;
  readonly settings: RunSettings;
  readonly configuration: Configuration;
  /** Of files, of this command and of earlier ones. */
  readonly rules: readonly PermissionRule[];
  readonly graph: Graph;
  readonly journal: Journal;
  /** Calls of the run this one was forked from that it may make again. */
  readonly rewalk: Rewalk;
  /** Built-in ones, those of MCP servers, registered functions. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly places: Places;
  readonly models: RunModels;
  readonly decode: Decode;
  /** How this command found the run's files, when they are not the live ones. */
  readonly restored?: EventOf<'workspace.restore'>;
}
