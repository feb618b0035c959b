import type { LogView } from '../log/run-log.ts';
import { Trouble } from '../ui/states.tsx';

export interface LogEndProps {
  readonly view: LogView;
  readonly hasGraph: boolean;
}

/** Why the walk is not all that it could be: the log broke off, or the document cannot be read. */
export function LogEnd({ view: { end, error, state }, hasGraph }: LogEndProps) {
  return (
    <>
      {error !== undefined && <Trouble error={error} />}
      {end !== undefined && (
        <div role="alert" className="bg-danger-soft px-3 py-1.5">
          <p>
            {end.reason === 'removed'
              ? 'This run was removed.'
              : end.reason === 'damaged'
                ? 'The log is damaged from here on: what is shown is as it was written before that. It cannot be forked.'
                : 'The log cannot be read on.'}
          </p>
          {end.detail !== undefined && <p className="told text-xs">{end.detail}</p>}
        </div>
      )}
      {!hasGraph && (
        <p role="status" className="bg-warn-soft px-3 py-1.5 text-warn">
          The document of this run cannot be read: nodes stand in the order in which they were met.
        </p>
      )}
      {state?.owner === 'other' && (
        <p role="status" className="bg-raised px-3 py-1.5">
          Another process works on this run. What it records is shown here as it comes.
        </p>
      )}
    </>
  );
}
