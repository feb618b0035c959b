/**
 * The project's own check, run in the latest files of one session.
 *
 * 1. It says what came of a run that was asked for here, or that there was none: nothing is guessed.
 */
import { ApiProblem, type CheckResult } from '@ramet/client';
import { CircleCheck, CircleX, FlaskConical } from 'lucide-react';
import { useAction } from '../data/action.ts';
import { BoundedText } from '../ui/bounded-text.tsx';
import { Button } from '../ui/button.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { renderDuration } from './duration.ts';

/** Runs the check on demand. */
export function CheckPanel({ id }: { readonly id: string }) {
  const { mutate, data, error, isPending } = useAction<{ readonly isTrusted: boolean }, CheckResult>({
    run: (api, { isTrusted }) => api.call('check', { path: { id }, body: isTrusted ? { trustProject: true } : {} }),
  });
  const isUnconfirmed = error instanceof ApiProblem && error.code === 'not_confirmed';
  return (
    <div className="rounded-md border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 p-2.5">
        <Button disabled={isPending} onClick={() => mutate({ isTrusted: false })}>
          <FlaskConical aria-hidden size={14} /> {data === undefined ? 'Run the check' : 'Run it again'}
        </Button>
        {data === undefined && error === null && !isPending && (
          <p className="text-muted text-xs">Not run here. It runs in a copy of its latest files.</p>
        )}
        {isPending && <Loading what="what the check says" />}
        {data !== undefined && !isPending && <Verdict result={data} />}
      </div>
      {error !== null && !isPending && (
        <>
          <Trouble error={error} />
          {isUnconfirmed && (
            <div className="px-3 pb-3">
              <Button onClick={() => mutate({ isTrusted: true })}>I read it: run it this once</Button>
            </div>
          )}
        </>
      )}
      {data !== undefined && !isPending && <Output result={data} />}
    </div>
  );
}

function Verdict({ result }: { readonly result: CheckResult }) {
  const { exitCode, timedOut, interrupted, durationMs } = result;
  const isPassed = exitCode === 0 && !timedOut && !interrupted;
  const Icon = isPassed ? CircleCheck : CircleX;
  const words = isPassed
    ? 'Passed'
    : timedOut
      ? 'It took too long'
      : interrupted
        ? 'It was interrupted'
        : `Failed (${exitCode === null ? 'killed' : `status ${exitCode}`})`;
  return (
    <p role="status" className={`flex items-center gap-1.5 font-medium ${isPassed ? 'text-accent' : 'text-danger'}`}>
      <Icon aria-hidden size={16} />
      <span>{words}</span> <span className="font-normal text-muted text-xs">in {renderDuration(durationMs)}</span>
    </p>
  );
}

function Output({ result: { command, offset, stdout, stderr } }: { readonly result: CheckResult }) {
  return (
    <details className="border-line border-t px-2.5 py-1.5">
      <summary className="cursor-pointer text-muted text-xs">What it printed</summary>
      <p className="told my-1 text-xs">
        <span className="font-mono">{command}</span>, in the files of the turn that ended at {offset}
      </p>
      {[stdout, stderr].map(({ text, dropped }, index) =>
        text === '' ? null : (
          <div key={index === 0 ? 'out' : 'err'} className="mb-2">
            <p className="font-medium text-xs">{index === 0 ? 'Standard output' : 'Standard error'}</p>
            <BoundedText isMono text={text} className="rounded bg-raised p-2" />
            {dropped > 0 && <p className="text-muted text-xs">{dropped} bytes of its middle were dropped.</p>}
          </div>
        ),
      )}
    </details>
  );
}
