import type { ToolOutput as Output } from '@ramet/core/events';
import { renderJson } from '@ramet/core/text';
import { Badge } from '../ui/badge.tsx';
import { BoundedText } from '../ui/bounded-text.tsx';

/** What a tool answered: a command's output as its lines, anything else as text or JSON. */
export function ToolOutput({ output }: { readonly output: Output }) {
  const { type, value } = output;
  const ran = readCommandOutput(value);
  if (ran !== null) return <CommandOutput {...ran} />;
  const text = typeof value === 'string' ? value : renderJson(value, 2);
  if (text === '') return <p className="p-2 text-muted text-xs">It answered nothing.</p>;
  return <BoundedText isMono text={text} className={`p-2 ${type.startsWith('error') ? 'text-danger' : ''}`} />;
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

function CommandOutput({ stdout, stderr, exitCode, timedOut }: Ran) {
  const isFine = exitCode === 0 && !timedOut;
  return (
    <div className="divide-y divide-line">
      {stdout !== '' && <BoundedText isMono text={stdout} className="p-2" />}
      {stderr !== '' && <BoundedText isMono text={stderr} className="p-2 text-warn" />}
      {(!isFine || stdout + stderr === '') && (
        <p className="p-2">
          <Badge tone={isFine ? 'plain' : 'bad'}>
            {timedOut ? 'took too long' : exitCode === null ? 'was killed' : `exit code ${exitCode}`}
          </Badge>
        </p>
      )}
    </div>
  );
}

function readCommandOutput(value: unknown): Ran | null {
  if (typeof value !== 'object' || value === null) return null;
  const { stdout, stderr, exitCode, timedOut } = value as Readonly<Record<string, unknown>>;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return null;
  return { stdout, stderr, exitCode: typeof exitCode === 'number' ? exitCode : null, timedOut: timedOut === true };
}
