import { Dialog } from '../ui/dialog.tsx';
import { COMMANDS } from './commands.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'Send'],
  ['Shift + Enter', 'Begin a line'],
  ['/', 'Begin a command'],
  ['Escape', 'Close a dialog'],
];

/** What can be typed into the composer. */
export function HelpDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title="What can be typed" isOpen={isOpen} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 p-4">
        {Object.entries(COMMANDS).map(([name, { takes, says }]) => (
          <Line key={name} keys={`/${name}${takes === null ? '' : ` ${takes}`}`} says={says} />
        ))}
        {KEYS.map(([keys, says]) => (
          <Line key={keys} keys={keys} says={says} />
        ))}
      </dl>
    </Dialog>
  );
}

function Line({ keys, says }: { readonly keys: string; readonly says: string }) {
  return (
    <>
      <dt className="font-mono">{keys}</dt>
      <dd className="text-muted">{says}</dd>
    </>
  );
}
