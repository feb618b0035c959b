/** A tool call: one line, and behind it what it was given, what was said of it, and what it answered. */
import { escapeLine, escapeText } from '@ramet/core/text';
import { FilePen, FileText, FolderTree, type LucideIcon, Plug, Search, SquareTerminal } from 'lucide-react';
import { summarizeInput } from '../calls/summary.ts';
import { ToolInput } from '../calls/tool-input.tsx';
import { ToolOutput } from '../calls/tool-output.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { useFrame } from './context.ts';
import { Fold } from './fold.tsx';
import type { CallItem, CallStatus, EntryOf, Told } from './types.ts';
import { useTold } from './use-told.ts';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  shell: SquareTerminal,
  read_file: FileText,
  write_file: FilePen,
  edit_file: FilePen,
  list_files: FolderTree,
  search: Search,
};

const STATUS: Readonly<Record<CallStatus, readonly [Tone, string] | null>> = {
  ok: null,
  proposed: ['plain', 'not begun'],
  asked: ['warn', 'waits for you'],
  running: ['busy', 'running'],
  error: ['bad', 'failed'],
  denied: ['warn', 'denied'],
  interrupted: ['warn', 'interrupted'],
  outcome_unknown: ['bad', 'outcome unknown'],
};

const NO_ANSWER = ['warn', 'no answer'] as const;

/** One call. */
export function CallView({ item }: { readonly item: CallItem }) {
  const Icon = ICONS[item.tool] ?? Plug;
  const { isDriven } = useFrame();
  const status = item.status === 'running' && isDriven === false ? NO_ANSWER : STATUS[item.status];
  const hosts = egressOf(item);
  return (
    <Fold
      name={item.key}
      title={
        <>
          <Icon aria-hidden size={14} className="shrink-0" />
          <span className="shrink-0 font-mono text-xs">{escapeLine(item.tool)}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-ink text-xs">
            {item.call === undefined ? '' : summarizeInput(item.call.entry.input)}
          </span>
          {hosts.length > 0 && <Badge tone="warn">reached {escapeLine(hosts.join(', '))}</Badge>}
          {status !== null && <Badge tone={status[0]}>{status[1]}</Badge>}
        </>
      }
    >
      {() => <CallDetails item={item} />}
    </Fold>
  );
}

function CallDetails({ item }: { readonly item: CallItem }) {
  const { call, result } = item;
  return (
    <div className="divide-y divide-line">
      {call === undefined ? (
        <p className="p-2 text-muted text-xs">What it was given is further up, and not loaded.</p>
      ) : (
        <Given told={call} />
      )}
      <Judged item={item} />
      {result !== undefined && <Answered told={result} />}
    </div>
  );
}

function Given({ told }: { readonly told: Told<EntryOf<'call'>> }) {
  const { id } = useFrame();
  const { entry, isLoading, error } = useTold(id, told, true);
  if (error !== null) return <Trouble error={error} />;
  return isLoading ? <Loading what="what it was given" /> : <ToolInput input={entry.input} />;
}

function Answered({ told }: { readonly told: Told<EntryOf<'result'>> }) {
  const { id } = useFrame();
  const { entry, isLoading, error } = useTold(id, told, true);
  if (error !== null) return <Trouble error={error} />;
  return isLoading ? <Loading what="what it answered" /> : <ToolOutput output={entry.output} />;
}

/** What was asked and said about the call, and where it could reach. */
function Judged({ item: { intent, asked, approval, resolved, result } }: { readonly item: CallItem }) {
  const receipt = result?.event.type === 'tool.result' ? result.event.receipt : undefined;
  const facts = [
    asked && `Asked: ${asked.reason}`,
    approval && `${approval.answer} by ${approval.by}`,
    intent && `${intent.effect}${intent.contained === true ? ', contained in the workspace' : ''}`,
    intent?.attempt !== undefined && `attempt ${intent.attempt}`,
    resolved && `a person says: ${resolved.resolution.replaceAll('_', ' ')}`,
    receipt && `the receipt of the write at ${receipt.offset} was used`,
  ].filter((fact) => typeof fact === 'string');
  if (facts.length === 0) return null;
  return <p className="told px-2 py-1 text-muted text-xs">{escapeText(facts.join(' · '))}</p>;
}

function egressOf({ result }: CallItem): readonly string[] {
  return result?.event.type === 'tool.result' && Array.isArray(result.event.egress)
    ? result.event.egress.map(String)
    : [];
}
