import { appendFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { Feeds } from '@ramet/runtime/follow';
import type { FileStore } from '@ramet/runtime/store';
import { buildTurn } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { FIRST, idxOf, makeHome, makeSession, openTestStore, readLog, segmentsOf } from '../store/helpers.ts';
import { countLines, type Following, follow, nextItem, openTestFeeds, restOf, takeLines } from './helpers.ts';

let store: FileStore;
let feeds: Feeds;
let following: Following;
let last: string;
/** Lines of the log when it was followed. */
let known: number;

beforeEach(async () => {
  store = openTestStore(makeHome());
  await makeSession(store, 3);
  last = segmentsOf(store).at(-1) ?? '';
  feeds = openTestFeeds(store);
  known = countLines(store, FIRST);
  following = await follow(feeds, FIRST);
  await takeLines(following, 0, known - 1);
});

async function appendTurn(number: number, text?: string): Promise<void> {
  const owner = await ownOf(store, FIRST);
  await owner.append(buildTurn(text === undefined ? {} : { prompt: text }, number), { durable: true });
  owner.close();
}

describe('a follower at the end of a log', () => {
  it('never sees a torn tail, and goes on over its repair', async () => {
    appendFileSync(last, '{"seq":');
    const next = nextItem(following);
    appendFileSync(last, '99,"prev":"');
    await appendTurn(4);
    expect(await next).toMatchObject({ kind: 'line', offset: known });
    expect(restOf(store, FIRST, known).toString()).toContain('"type":"log.repair"');
    await takeLines(following, known + 1, countLines(store, FIRST) - 1);
  });

  it('gets a line whose newline was torn off once, when an owner has kept it', async () => {
    await appendTurn(4);
    const lines = countLines(store, FIRST);
    await takeLines(following, known, lines - 1);
    await appendTurn(5);
    // Nobody looks between the two: what was followed is cut in the middle of the newest turn.
    truncateSync(last, statSync(last).size - 1);
    rmSync(idxOf(last));
    await appendTurn(6);
    expect(await takeLines(following, lines, countLines(store, FIRST) - 1)).toEqual(restOf(store, FIRST, lines));
  });

  it('is told to go back when lines it has were replaced by others', async () => {
    const size = statSync(last).size;
    await appendTurn(4, 'what a crash took back');
    await takeLines(following, known, countLines(store, FIRST) - 1);
    truncateSync(last, size);
    rmSync(idxOf(last));
    await appendTurn(4, 'what came instead, and is longer than what was there before it');
    expect(await nextItem(following)).toEqual({ kind: 'rewind', offset: known });
    const lines = countLines(store, FIRST);
    expect(await takeLines(following, known, lines - 1)).toEqual(restOf(store, FIRST, known));
  });

  it('is told to go back when lines it has are gone', async () => {
    const size = statSync(last).size;
    await appendTurn(4);
    await takeLines(following, known, countLines(store, FIRST) - 1);
    truncateSync(last, size);
    expect(await nextItem(following)).toEqual({ kind: 'rewind', offset: known });
    rmSync(idxOf(last));
    await appendTurn(4);
    await takeLines(following, known, countLines(store, FIRST) - 1);
  });

  it('ends with the lines there are, however many it had of those that were taken back', async () => {
    const size = statSync(last).size;
    await appendTurn(4, 'what a crash took back');
    const lagging = await follow(feeds, FIRST);
    await takeLines(lagging, 0, 1);
    truncateSync(last, size);
    rmSync(idxOf(last));
    await appendTurn(4, 'what came instead');
    const rest = restOf(store, FIRST, 2);
    const held: Buffer[] = [];
    while (!Buffer.concat(held).equals(rest)) {
      const item = await nextItem(lagging);
      if (item.kind === 'rewind') held.length = item.offset - 2;
      else if (item.kind === 'line') {
        expect(item.offset).toBe(held.length + 2);
        held.push(Buffer.from(`${Buffer.from(item.bytes).toString('latin1')}\n`, 'latin1'));
      }
    }
  });

  it('goes on when the segment is replaced by an equal one', async () => {
    const bytes = readLog(store);
    rmSync(last);
    writeFileSync(last, bytes);
    await appendTurn(4);
    expect(await takeLines(following, known, countLines(store, FIRST) - 1)).toEqual(restOf(store, FIRST, known));
  });

  it('that asks from beyond the end is told where the end is', async () => {
    const beyond = await follow(feeds, FIRST, { from: known + 7 });
    expect(await nextItem(beyond)).toEqual({ kind: 'rewind', offset: known });
    await appendTurn(4);
    await takeLines(beyond, known, countLines(store, FIRST) - 1);
  });
});

describe('damage', () => {
  it('ends a following with its place, after every line before it', async () => {
    await appendTurn(4);
    const lines = countLines(store, FIRST);
    const byte = statSync(last).size;
    appendFileSync(last, '{"no":"event"}\n');
    await takeLines(following, known, lines - 1);
    expect(await nextItem(following)).toEqual({
      kind: 'end',
      reason: {
        kind: 'damaged',
        damage: {
          segment: '000000000000.jsonl',
          line: lines + 1,
          byte,
          offset: lines,
          expected: `event ${lines}`,
          found: 'no offset in "seq"',
        },
      },
    });
  });

  it('that was there before is told in the same way', async () => {
    appendFileSync(last, 'x\n');
    rmSync(idxOf(last));
    const late = await follow(openTestFeeds(store), FIRST);
    await takeLines(late, 0, known - 1);
    const outline = store.read(FIRST)?.readOutline();
    expect(await nextItem(late)).toEqual({ kind: 'end', reason: { kind: 'damaged', damage: outline?.damage } });
  });
});
