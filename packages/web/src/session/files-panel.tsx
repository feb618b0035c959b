/** The files of a session after any of its turns, and what a turn changed. */
import type { SessionDetail } from '@ramet/client';
import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Empty } from '../ui/states.tsx';
import type { DiffRange } from '../workspace/diff-dialog.tsx';
import { FolderView } from '../workspace/folder-view.tsx';
import { boundariesOf, rangeOf } from './boundaries.ts';

export interface FilesPanelProps {
  readonly detail: SessionDetail;
  readonly onChanges: (range: DiffRange) => void;
}

/** The panel. */
export function FilesPanel({ detail, onChanges }: FilesPanelProps) {
  const boundaries = boundariesOf(detail.turns);
  const [chosen, setChosen] = useState<number | null>(null);
  const latest = boundaries.at(-1);
  const at = boundaries.find(({ offset }) => offset === chosen)?.offset ?? latest?.offset;
  if (at === undefined) {
    return (
      <Empty title="No checkpoint yet">
        {detail.workspace.kind === 'git'
          ? 'One is taken at the end of every turn.'
          : `Of a ${detail.workspace.kind} workspace none is taken.`}
      </Empty>
    );
  }
  return (
    <div className="pb-3">
      <div className="space-y-2 p-3">
        <SelectField label="Files after" value={at} onChange={(event) => setChosen(Number(event.target.value))}>
          {boundaries.toReversed().map(({ turn, offset }) => (
            <option key={offset} value={offset}>
              turn {turn}
              {offset === latest?.offset && ' (the latest)'}
            </option>
          ))}
        </SelectField>
        <div className="flex flex-wrap gap-2">
          <Button className="text-xs" onClick={() => onChanges(rangeOf(detail.turns, at))}>
            <FileDiff aria-hidden size={13} /> Changed in this turn
          </Button>
          <Button className="text-xs" onClick={() => onChanges({ at, from: null })}>
            Changed since the beginning
          </Button>
        </div>
      </div>
      <FolderView key={at} id={detail.id} at={at} />
    </div>
  );
}
