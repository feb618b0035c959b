/** What is promised of a fork of a graph run to work as written, run by bash in this checkout. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, findProgram, ROOT, runProgram } from './support/command.ts';
import { openStage } from './support/stage.ts';

/** Word for word. */
const LINES = [
  `R=$(ramet graph run examples/graphs/publish.json --input '{"topic":"otters"}' --json | jq -r .run)`,
  `ramet runs fork $R --from-node publish --json; test $? -eq 3`,
  `ramet runs fork $R --from-node publish --dry-run --json | jq -e '.wouldProceed==false and (.writes|length)==1'`,
  `W=$(ramet runs fork $R --from-node publish --dry-run --json | jq -r '.writes[0].offset')`,
  `C=$(ramet runs fork $R --from-node publish --acknowledge-writes $W --json | jq -r .run)`,
  `wc -l < $SINK                                                                                # 2`,
  `ramet runs show $C --json | jq -e '.forkedFrom.id=="'$R'" and .forkedFrom.acknowledgedWrites==['$W']'`,
  `ramet runs fork $C --from-node publish --json; test $? -eq 3`,
];

/** After each line: its own status, and how many lines were published; at the end the ids. */
const SCRIPT = [
  'set -o pipefail',
  'sink() { if [ -e "$SINK" ]; then wc -l < "$SINK"; else echo 0; fi; }',
  ...LINES.map((line, index) => `${line}\necho "== ${index} $? $(sink)"`),
  'echo "== ids $R $C $W"',
].join('\n');

test('the shell block of a fork past a write works as written', async (ctx) => {
  if (findProgram('jq') === undefined) ctx.skip('tool missing: jq');
  const stage = openStage(ctx);
  const bin = join(stage.area.folder, 'ramet');
  writeFileSync(bin, `#!/bin/sh\nexec node '${BIN}' "$@"\n`);
  chmodSync(bin, 0o755);
  const sink = join(stage.area.folder, 'sink');
  const env = { ...stage.env, PATH: `${stage.area.folder}:${stage.env.PATH}`, SINK: sink };
  const ended = await runProgram('bash', ['-c', SCRIPT], { cwd: ROOT, env });
  const marks = ended.stdout.split('\n').filter((line) => line.startsWith('== '));
  expect(marks.slice(0, -1), ended.stdout + ended.stderr).toEqual(
    [1, 1, 1, 1, 2, 2, 2, 2].map((lines, index) => `== ${index} 0 ${lines}`),
  );
  const [run = '', child = '', write] = marks.at(-1)?.slice('== ids '.length).split(' ') ?? [];
  expect(new Set(readFileSync(sink, 'utf8').trimEnd().split('\n'))).toEqual(new Set(['{"facts":2,"topic":"otters"}']));
  // The acknowledged write is another one: it has a key of its own, and says which one it makes again.
  const [first] = stage.eventsOfType(run, 'tool.intent').slice(-1);
  const [again] = stage.eventsOfType(child, 'tool.intent').slice(-1);
  expect(again).toMatchObject({ node: 'publish', acknowledged: Number(write) });
  expect(again?.key).not.toBe(first?.key);
  expect(stage.eventsOfType(child, 'run.complete')).toHaveLength(1);
});
