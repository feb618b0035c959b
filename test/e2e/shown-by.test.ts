/** What README's page promises to work as written, run by bash from a folder that is a git repository. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditStore } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { BIN, findProgram, runProgram } from './support/command.ts';
import { openStage, skipWithoutSandbox } from './support/stage.ts';
import { readEvents } from './support/store.ts';

/** Word for word, but for `set`, the comparison of digests, and the last line, which tells what to look at. */
const SCRIPT = `
set -euo pipefail
export RAMET_HOME=$(mktemp -d)
S=$(ramet run --model scripted:one.json --json "make it pass" | jq -r .session)      # turn 1
ramet run --session $S --model scripted:two.json "now refactor"                        # turn 2
K=$(ramet show $S --json | jq '.turns[0].end.offset')
C=$(ramet sessions fork $S --at $K)
cat $RAMET_HOME/runs/$C/log/*.jsonl | head -n $((K+1)) | cmp - <(cat $RAMET_HOME/runs/$S/log/*.jsonl | head -n $((K+1)))
cat $RAMET_HOME/runs/$C/log/*.jsonl | tail -n 1 | jq -e '.type=="session.fork" and .parent and .offset and .digest'
digest=$(cat $RAMET_HOME/runs/$S/log/*.jsonl | sed -n "$((K+1))p" | tr -d '\\n' | sha256sum)      # that digest
recorded=$(cat $RAMET_HOME/runs/$C/log/*.jsonl | tail -n 1 | jq -r .digest)
test "$digest" = "$recorded  -"
ramet run --session $C --model scripted:three.json "try the other way"
ramet sessions --json | jq -e '.sessions[] | select(.id=="'$C'") | .forkedFrom.offset=='$K
ramet verify $C && ramet remove $S --yes && ramet verify $C
printf '\\n%s %s %s\\n' "$RAMET_HOME" "$C" "$K"
`;

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const shell = (command: string) => ({ name: 'shell', input: { command } });

const SCRIPTS = {
  'one.json': [
    { toolCalls: [write('sum.sh', 'echo $(($1 + $2))\n'), shell('test "$(sh sum.sh 2 3)" = 5')] },
    { text: 'ok' },
  ],
  'two.json': [{ toolCalls: [shell('rm sum.sh; git commit -qam gone')] }, { text: 'refactored' }],
  'three.json': [{ toolCalls: [shell('sh sum.sh 20 3 > result.txt')] }, { text: 'other' }],
};

test('the shell block of the main job works as written', async (ctx) => {
  await skipWithoutSandbox(ctx);
  if (findProgram('jq') === undefined) ctx.skip('tool missing: jq');
  const stage = openStage(ctx, { files: { 'sum.sh': 'echo 0\n' } });
  for (const [name, replies] of Object.entries(SCRIPTS)) {
    writeFileSync(join(stage.repository, name), JSON.stringify(replies));
  }
  const bin = join(stage.area.folder, 'ramet');
  writeFileSync(bin, `#!/bin/sh\nexec node '${BIN}' "$@"\n`);
  chmodSync(bin, 0o755);
  const env = { ...stage.env, PATH: `${stage.area.folder}:${stage.env.PATH}` };
  const ended = await runProgram('bash', ['-c', SCRIPT], { cwd: stage.repository, env });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const [home = '', child = '', offset] = ended.stdout.trimEnd().split('\n').at(-1)?.split(' ') ?? [];
  const events = readEvents(home, child);
  expect(events.filter(({ type }) => type === 'session.fork')).toMatchObject([{ offset: Number(offset) }]);
  expect(events.filter(({ type }) => type === 'workspace.restore')).toMatchObject([{ outcome: 'restored' }]);
  expect(readFileSync(join(home, 'runs', child, 'workspace', 'result.txt'), 'utf8')).toBe('23\n');
  expect(auditStore(home)).toEqual([]);
});
