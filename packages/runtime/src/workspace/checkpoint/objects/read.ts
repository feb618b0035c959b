/** Reads objects of a repository of ours in bulk: one git process, content in pieces. */
import type { Readable } from 'node:stream';
import { Failure } from '@ramet/core/codes';
import { git, startGit } from '../../git/index.ts';
import type { ObjectType } from './format.ts';

/** Receives the objects in the order they were asked for. */
export interface ObjectSink {
  begin(oid: string, type: ObjectType, size: number): void;
  write(chunk: Buffer): void;
  end(): void;
}

const NEWLINE = 0x0a;

/** Which of the objects a repository has, with their types. */
export async function probeObjects(gitDir: string, oids: Iterable<string>): Promise<Map<string, ObjectType>> {
  const asked = [...oids];
  if (asked.length === 0) return new Map();
  const outcome = await git({
    gitDir,
    args: ['cat-file', '--buffer', '--batch-check=%(objectname) %(objecttype)'],
    stdin: `${asked.join('\n')}\n`,
  });
  return parseProbe(outcome.stdout.toString('latin1'));
}

/** What `cat-file --batch-check=%(objectname) %(objecttype)` answered. */
export function parseProbe(answer: string): Map<string, ObjectType> {
  const found = new Map<string, ObjectType>();
  for (const line of answer.split('\n')) {
    const [, oid, type] = /^([0-9a-f]{40,64}) (blob|tree|commit|tag)$/.exec(line) ?? [];
    if (oid !== undefined) found.set(oid, type as ObjectType);
  }
  return found;
}

/** Streams objects into a sink; throws `Failure('checkpoint_missing')` naming the first one that is not there. */
export async function streamObjects(gitDir: string, oids: readonly string[], sink: ObjectSink): Promise<void> {
  if (oids.length === 0) return;
  const running = await startGit({ gitDir, args: ['cat-file', '--batch', '--buffer'] });
  try {
    running.process.stdin.end(`${oids.join('\n')}\n`);
    await parseBatch(running.process.stdout, gitDir, sink);
    await running.ended;
  } finally {
    running.process.kill();
  }
}

async function parseBatch(output: Readable, gitDir: string, sink: ObjectSink): Promise<void> {
  let header = '';
  // Bytes of the current object still to come; -1 between objects, 0 when only its closing newline is missing.
  let left = -1;
  for await (const piece of output) {
    let chunk = piece as Buffer;
    while (chunk.length > 0) {
      if (left < 0) {
        const newline = chunk.indexOf(NEWLINE);
        header += chunk.toString('latin1', 0, newline < 0 ? chunk.length : newline);
        if (newline < 0) break;
        chunk = chunk.subarray(newline + 1);
        left = beginObject(header, gitDir, sink);
        header = '';
      } else if (left > 0) {
        const content = chunk.subarray(0, left);
        sink.write(content);
        left -= content.length;
        chunk = chunk.subarray(content.length);
      } else {
        sink.end();
        chunk = chunk.subarray(1);
        left = -1;
      }
    }
  }
}

function beginObject(header: string, gitDir: string, sink: ObjectSink): number {
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(header) ?? [];
  if (oid === undefined || size === undefined) {
    throw new Failure(
      'checkpoint_missing',
      `An object that a checkpoint needs is not in ${JSON.stringify(gitDir)}: git answered ${JSON.stringify(header)}.`,
    );
  }
  sink.begin(oid, type as ObjectType, Number(size));
  return Number(size);
}

/** Reads a few small objects whole. */
export async function readObjects(gitDir: string, oids: readonly string[]): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  let current = '';
  let chunks: Buffer[] = [];
  await streamObjects(gitDir, oids, {
    begin: (oid) => {
      current = oid;
      chunks = [];
    },
    write: (chunk) => chunks.push(chunk),
    end: () => contents.set(current, Buffer.concat(chunks)),
  });
  return contents;
}
