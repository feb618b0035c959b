import { escapeLine } from '@ramet/core/text';
import { describeChecks } from '@ramet/runtime/answers';
import { openFileStore } from '@ramet/runtime/store';
import { type CheckLevel, examineMachine } from '@ramet/runtime/upkeep';
import type { DoctorFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { renderFacts } from '../output/facts.ts';
import { paint, type Tone } from '../output/style.ts';
import { stateFolderIn } from '../store.ts';

const MARKS: Readonly<Record<CheckLevel, readonly [mark: string, tone: Tone]>> = {
  good: ['ok', 'green'],
  weak: ['--', 'yellow'],
  bad: ['!!', 'red'],
};

/** Examines this machine. */
export const doctor: Action<DoctorFlags, []> = async (context) => {
  const store = openFileStore({ home: stateFolderIn(context), now: context.now });
  const checks = await examineMachine({
    store,
    cwd: context.cwd,
    env: context.env,
    nodeVersion: process.versions.node,
  });
  const json = describeChecks(checks);
  const facts = checks.map(({ name, level, message, remedy }) => {
    const [mark, tone] = MARKS[level];
    const advice = remedy === undefined ? '' : `; ${escapeLine(remedy)}`;
    return { label: name, text: `${escapeLine(message)}${advice}`, lead: paint(context.stdout, tone, mark) };
  });
  const lines = renderFacts(context.stdout, facts).map((line) => `${line}\n`);
  return { json, text: lines.join(''), exit: json.ok ? 0 : 2 };
};
