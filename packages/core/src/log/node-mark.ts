import type { NodePath } from '../events/index.ts';

/** An event of the walk that forks and lists need: where it lies, and which node it is about. */
export interface NodeMark {
  readonly type: 'enter' | 'exit' | 'skip';
  readonly offset: number;
  readonly node: NodePath;
  /** 0 for a skip. */
  readonly attempt: number;
  readonly outcome?: 'ok' | 'failed' | 'interrupted';
  /** Of the line's first byte in its segment, and its length without the newline. */
  readonly position: number;
  readonly bytes: number;
}
