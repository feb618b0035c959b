/** Checkpoints of a run (W22): taken while nothing that could write the files lives, and recorded when they changed. */
import type { EventDraft, NodePath } from '@ramet/core';
import type { Captor } from '../../session/workspace/capture.ts';
import type { Journal } from '../journal.ts';
import { useOf } from './file-use.ts';
import type { Places } from './places.ts';
import type { NodePlace } from './types.ts';

export interface KeepRequest {
  readonly node: NodePath;
  readonly place: NodePlace;
  /** What belongs before the checkpoint: the result of what changed the files. */
  readonly drafts: readonly EventDraft[];
}

/** What is still to be recorded, and why the files could not be kept. */
export interface KeptFiles {
  readonly drafts: readonly EventDraft[];
  readonly problem: string | null;
}

/** Keeps what a node did to its files. */
export async function keepNodeFiles(journal: Journal, request: KeepRequest): Promise<KeptFiles> {
  const { node, place, drafts } = request;
  if (place.captor === undefined) return { drafts, problem: null };
  const workspace = place.use.kind === 'own' ? node : '';
  return capture(journal, { captor: place.captor, workspace, node, drafts });
}

/**
 * Keeps the run's files as its nodes find them: as they were opened, and what somebody changed meanwhile. What a node
 * that was left at work has written so far is its own, and kept with it.
 */
export async function keepRunFiles(journal: Journal, places: Places, notice: (text: string) => void): Promise<void> {
  const { running } = journal.state.progress;
  const isAtWork = [...running].some(({ placed }) => {
    const { kind, access } = useOf(placed.node);
    return kind === 'run' && access === 'write';
  });
  if (isAtWork) return;
  const { problem } = await capture(journal, { captor: places.run.captor, workspace: '', drafts: [] });
  if (problem !== null) notice(`no checkpoint of the workspace: ${problem}`);
}

interface Capturing {
  readonly captor: Captor;
  /** Whose checkpoint was the last: that of a node with a copy of its own, or the run's. */
  readonly workspace: NodePath;
  readonly node?: NodePath;
  readonly drafts: readonly EventDraft[];
}

/** A checkpoint's id is a function of the files: the same id again says that nothing changed. */
async function capture(journal: Journal, capturing: Capturing): Promise<KeptFiles> {
  const { captor, workspace, node, drafts } = capturing;
  const { checkpoints, workspaceOpen } = journal.state;
  const previous = (checkpoints.get(workspace) ?? checkpoints.get(''))?.id ?? null;
  let kept: KeptFiles = { drafts, problem: null };
  await captor.capture({ previous, base: workspaceOpen?.base ?? null }, async (taken) => {
    if (taken.kind === 'failed') kept = { drafts, problem: taken.why };
    if (taken.kind !== 'taken' || taken.record.id === previous) return;
    const of = node === undefined ? {} : { node };
    await journal.recordDurably([...drafts, { type: 'workspace.checkpoint', ...of, ...taken.record }]);
    kept = { drafts: [], problem: null };
  });
  return kept;
}
