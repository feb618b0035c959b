/** What a checkpoint holds, and how two differ. Names that are no UTF-8 are shown with `\xNN`. */
import { z } from '@hono/zod-openapi';
import { Offset, RunIdValue, UsageOf } from './values.ts';

export const FolderEntry = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'executable', 'link', 'folder', 'repository']),
    size: z.number().optional(),
    target: z.string().optional().openapi({ description: 'Of a link; it is never followed.' }),
  })
  .openapi('FolderEntry');

export const Folder = z
  .object({
    checkpoint: z.string(),
    offset: Offset.openapi({ description: 'Of the boundary whose checkpoint it is.' }),
    path: z.string(),
    entries: z.array(FolderEntry),
    truncated: z.boolean(),
  })
  .openapi('Folder');

export const File = z
  .object({
    checkpoint: z.string(),
    path: z.string(),
    size: z.number(),
    text: z.string().nullable().openapi({ description: 'Null when it is no text or too large; `raw` has its bytes.' }),
    truncated: z.boolean(),
  })
  .openapi('File');

export const ChangedFile = z
  .looseObject({
    status: z.string(),
    path: z.string(),
    oldPath: z.string().nullable(),
    additions: z.number(),
    deletions: z.number(),
    binary: z.boolean(),
    patch: z.string().optional().openapi({ description: 'As git writes it; absent when it is too large.' }),
  })
  .openapi('ChangedFile');

export const Diff = z
  .object({
    id: RunIdValue,
    from: z.looseObject({}).nullable(),
    to: z.string(),
    files: z.array(ChangedFile),
    hidden: z.object({ ignored: z.number(), nested: z.number() }),
    leftOut: z.array(z.looseObject({ path: z.string() })),
  })
  .openapi('Diff');

const Side = z.object({
  id: RunIdValue,
  title: z.string(),
  turns: z.number(),
  durationMs: z.number(),
  own: UsageOf,
});

export const Comparison = z
  .object({
    common: z
      .object({ offset: Offset, turn: z.number() })
      .nullable()
      .openapi({ description: 'The last event that both logs hold; null when they share none.' }),
    left: Side,
    right: Side,
    diff: Diff.nullable(),
    reason: z.string().optional().openapi({ description: 'Why there is no diff.' }),
  })
  .openapi('Comparison');

export const CheckResult = z
  .object({
    id: RunIdValue,
    offset: Offset,
    checkpoint: z.string(),
    command: z.string(),
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number(),
    output: z.string(),
    truncated: z.boolean(),
  })
  .openapi('CheckResult');

export const ApplyRequest = z
  .object({ branch: z.string().optional(), toCheckout: z.boolean().optional(), checkout: z.string().optional() })
  .openapi('ApplyRequest');

export const Applied = z
  .looseObject({ id: RunIdValue, ref: z.string(), commit: z.string(), branch: z.string().nullable() })
  .openapi('Applied');
