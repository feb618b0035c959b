/** What a fork of a run would bring back, what it leaves out, and which calls it makes again by themselves. */
import type { RunFork } from '@ramet/client';
import { renderBytes, renderCount } from '@ramet/core/text';
import { Fact } from '../../ui/fact.tsx';

/** A dry run, told; its writes are told apart. */
export function RunForkPlan({ plan }: { readonly plan: RunFork }) {
  const { boundary, prefix, workspaces = [], exempt = [], idempotent = [], missingPayloads = [], bytes } = plan;
  return (
    <div className="space-y-3">
      <ul className="space-y-2">
        {boundary !== undefined && (
          <Fact is="back" title={`It goes on at ${boundary.node}, as it was entered at ${boundary.offset}`}>
            {prefix === undefined
              ? 'What is before comes back, byte for byte.'
              : `The ${renderCount(prefix.events, 'event')} before come back, byte for byte: nothing of them is done again. The run itself stays as it is.`}
          </Fact>
        )}
        {workspaces.map((place) => (
          <Files key={place.workspace} place={place} />
        ))}
        {missingPayloads.length > 0 && (
          <Fact is="not" title={`${renderCount(missingPayloads.length, 'long value')} of it were lost`}>
            {missingPayloads.map((digest) => digest.slice(0, 12)).join(', ')}
          </Fact>
        )}
      </ul>
      <Calls
        title={`${renderCount(idempotent.length, 'idempotent call')}: made again with the key it had, which its receiver honours`}
        calls={idempotent}
      />
      <Calls
        title={`${renderCount(exempt.length, 'write')} in files that come back as they were: made again in them`}
        calls={exempt}
      />
      <p className="text-muted text-xs">
        It takes {renderBytes(bytes.own)} of its own on disk
        {bytes.shared > 0 && ` and shares ${renderBytes(bytes.shared)}`}.
      </p>
    </div>
  );
}

function Files({ place }: { readonly place: NonNullable<RunFork['workspaces']>[number] }) {
  const { workspace, kind, checkpoint, leftOut } = place;
  const of = workspace === '' || workspace === 'run' ? '' : ` of ${workspace}`;
  if (kind === 'none') {
    return (
      <Fact is="not" title={`There are no files${of}`}>
        What nodes wrote into their folder is kept nowhere.
      </Fact>
    );
  }
  if (checkpoint === null) {
    return (
      <Fact is="not" title={`The files${of} do not come back`}>
        {kind === 'directory'
          ? 'The folder is used in place: it is shared with this run, not restored.'
          : 'There is no checkpoint before this node: they begin anew.'}
      </Fact>
    );
  }
  return (
    <Fact is="back" title={`The files${of} come back`}>
      From checkpoint <code>{checkpoint.slice(0, 10)}</code>, the last before this node.
      {leftOut.length > 0 && ` Left out is what these nodes, still at work there, wrote since: ${leftOut.join(', ')}.`}
    </Fact>
  );
}

interface CallsProps {
  readonly title: string;
  readonly calls: NonNullable<RunFork['exempt']>;
}

function Calls({ title, calls }: CallsProps) {
  if (calls.length === 0) return null;
  return (
    <details className="rounded border border-line">
      <summary className="cursor-pointer px-2.5 py-1.5 hover:bg-raised">{title}</summary>
      <ul className="max-h-40 overflow-y-auto border-line border-t px-2.5 py-1.5 text-xs">
        {calls.map(({ offset, node, tool }) => (
          <li key={offset} className="told">
            <span className="font-mono">
              {node} · {tool}
            </span>{' '}
            <span className="text-muted">at {offset}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
