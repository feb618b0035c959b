/** What a checkpoint holds, and how two differ. Names that are no UTF-8 are shown with `\xNN`. */
import { z } from '@hono/zod-openapi';
import { AbsolutePath, Digest, Offset, orNull, PlainText, RunIdValue, Time, UsageOf } from './values.ts';

const FolderEntry = z
  .object({
    name: z.string(),
    utf8: z.boolean().openapi({ description: 'Whether the name is text as it is; else it cannot be asked for.' }),
    kind: z.enum(['file', 'link', 'folder']),
    mode: z.number().openapi({ description: 'Permission bits.' }),
    size: z.number().nullable().openapi({ description: 'Null of a folder.' }),
    target: z.string().optional().openapi({ description: 'Of a link; it is never followed.' }),
  })
  .openapi('FolderEntry');

export const Folder = z
  .object({
    checkpoint: z.string(),
    offset: Offset.openapi({ description: 'Of the boundary whose checkpoint it is.' }),
    path: z.string(),
    entries: z.array(FolderEntry),
    count: z.number(),
    truncated: z.boolean(),
  })
  .openapi('Folder');

export const File = z
  .object({
    checkpoint: z.string(),
    offset: Offset,
    path: z.string(),
    kind: z.enum(['file', 'link']),
    size: z.number(),
    text: z.string().nullable().openapi({ description: 'Null when it is no text or too large; `raw` has its bytes.' }),
    truncated: z.boolean(),
  })
  .openapi('File');

const ChangedFile = z
  .looseObject({
    status: z.string(),
    shown: z.string().openapi({ description: 'Its path, as text.' }),
    oldShown: z.string().nullable(),
    path: z.string().openapi({ description: 'Its path, a character for each byte.' }),
    oldPath: z.string().nullable(),
    utf8: z.boolean(),
    additions: z.number().nullable(),
    deletions: z.number().nullable(),
    binary: z.boolean(),
    patch: z.string().optional().openapi({ description: 'As git writes it, within limits.' }),
    truncated: z.boolean().optional().openapi({ description: 'There is more of the patch.' }),
  })
  .openapi('ChangedFile');

/** What a run did since its last checkpoint: it is in its workspace, and in no checkpoint. */
const Uncaptured = z.object({ workspace: z.string(), offset: Offset, message: z.string() }).openapi('Uncaptured');

export const Diff = z
  .object({
    id: RunIdValue,
    from: z.looseObject({}).nullable(),
    to: z.string(),
    files: z.array(ChangedFile),
    hidden: z.object({ ignored: z.number(), nested: z.number() }),
    leftOut: z.array(z.looseObject({ path: z.string() })),
    uncaptured: z.array(Uncaptured).optional(),
  })
  .openapi('Diff');

/** What one session did after the last event that both logs hold. */
const Side = z.object({
  id: RunIdValue,
  title: z.string(),
  model: z.string().optional(),
  turns: z.object({ begun: z.number(), ended: z.number() }),
  calls: z.record(z.string(), z.number()).openapi({ description: 'Results of calls, by outcome.' }),
  durationMs: z.number().openapi({ description: 'From each message to the end of its turn.' }),
  own: UsageOf,
  firstTime: Time.nullable(),
  lastTime: Time.nullable(),
  damaged: z.boolean(),
});

export const Comparison = z
  .object({
    relation: z
      .enum(['same', 'parent', 'child', 'siblings', 'relatives', 'none'])
      .openapi({ description: 'What the left one is to the right one.' }),
    common: z
      .object({ offset: Offset, digest: Digest })
      .nullable()
      .openapi({ description: 'The last event that both logs hold; null when they share none.' }),
    left: Side,
    right: Side,
    diff: orNull(Diff),
    reason: z.string().optional().openapi({ description: 'Why there is no diff.' }),
  })
  .openapi('Comparison');

const CheckOutput = z.object({
  text: z.string(),
  dropped: z.number().openapi({ description: 'Bytes in its middle that were dropped.' }),
});

export const CheckResult = z
  .object({
    id: RunIdValue,
    offset: Offset,
    checkpoint: z.string(),
    command: z.string(),
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    interrupted: z.boolean(),
    durationMs: z.number(),
    stdout: CheckOutput,
    stderr: CheckOutput,
  })
  .openapi('CheckResult');

export const ApplyRequest = z
  .object({
    branch: PlainText.max(1000).optional(),
    toCheckout: z.boolean().optional(),
    checkout: AbsolutePath.optional().openapi({ description: 'Whose repository, or files, get it.' }),
  })
  .openapi('ApplyRequest');

export const Applied = z
  .looseObject({
    ...{ id: RunIdValue, ref: z.string(), commit: z.string(), branch: z.string().nullable() },
    uncaptured: Uncaptured.optional(),
  })
  .openapi('Applied');
