import { isRefusal } from '@ramet/core/codes';
import { resumeRun } from '@ramet/runtime/graph';
import { findGraphRun } from '@ramet/runtime/inspect';
import type { ResumeFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { answerDriven } from '../output/run-result.ts';
import { openStore } from '../store.ts';
import { drive } from './drive.ts';

/** Goes on with a graph run. */
export const resume: Action<ResumeFlags, [string]> = async (context, flags, [text]) => {
  const store = openStore(context);
  const id = findGraphRun(store, text);
  if (isRefusal(id)) return id;
  const driven = await drive(context, { store, id, flags }, (services, settings) =>
    resumeRun(services, { id, settings }),
  );
  return isRefusal(driven) ? driven : answerDriven(context, store, { ...driven, flags });
};
