/** What a fork would bring back, what it would not, and what it cannot undo. */
import type { SessionFork } from '@ramet/client';
import { renderBytes, renderCount } from '@ramet/core/text';
import { TriangleAlert } from 'lucide-react';
import { WriteList } from '../calls/write-list.tsx';
import { Fact } from '../ui/fact.tsx';

/** A dry run, told. */
export function ForkPlan({ plan }: { readonly plan: SessionFork }) {
  const { workspace, outstanding, bytes, forkedFrom } = plan;
  return (
    <>
      <ul className="space-y-2">
        <Fact is="back" title="The conversation comes back">
          Every event through offset {forkedFrom.offset}, byte for byte. The session itself stays as it is.
        </Fact>
        <Files workspace={workspace} />
        <Fact is="not" title="Running programs do not come back">
          What still ran in the sandbox, its <code>/tmp</code> and its home folder are not brought back.
        </Fact>
      </ul>
      {outstanding.length > 0 && (
        <section>
          <h3 className="mb-1.5 flex items-center gap-1.5 font-semibold text-warn">
            <TriangleAlert aria-hidden size={15} />
            {renderCount(outstanding.length, 'write')} after this turn left the workspace
          </h3>
          <p className="mb-2 text-muted">
            A fork does not undo that. It is recorded in the fork and told to its agent; the same call is stopped before
            it is made again.
          </p>
          <WriteList writes={outstanding} />
        </section>
      )}
      <p className="text-muted text-xs">
        It takes {renderBytes(bytes.own)} of its own on disk
        {bytes.shared > 0 && ` and shares ${renderBytes(bytes.shared)}`}. No model is called.
      </p>
    </>
  );
}

function Files({ workspace }: { readonly workspace: SessionFork['workspace'] }) {
  const { kind, restorable, checkpoint, reason, leftOut } = workspace;
  if (kind === 'none')
    return (
      <Fact is="not" title="There are no files">
        This session has no workspace.
      </Fact>
    );
  if (!restorable) {
    return (
      <Fact is="not" title="The files do not come back">
        {kind === 'directory' ? 'They are shared with this session, not restored' : 'They begin anew'}
        {reason !== undefined && `: ${reason}`}.
      </Fact>
    );
  }
  return (
    <Fact is="back" title="The files, the index and the commits come back">
      As they were at the end of that turn, from checkpoint <code>{checkpoint?.slice(0, 10)}</code>. They are restored
      when the fork first runs.
      {leftOut.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer">{renderCount(leftOut.length, 'entry', 'entries')} left out of it</summary>
          <ul className="mt-1 max-h-32 overflow-auto font-mono text-xs">
            {leftOut.map((entry) => {
              const text = describeLeftOut(entry);
              return <li key={text}>{text}</li>;
            })}
          </ul>
        </details>
      )}
    </Fact>
  );
}

function describeLeftOut(entry: unknown): string {
  const { path, reason } = (entry ?? {}) as { readonly path?: unknown; readonly reason?: unknown };
  return typeof path === 'string'
    ? `${path}${typeof reason === 'string' ? ` (${reason})` : ''}`
    : JSON.stringify(entry);
}
