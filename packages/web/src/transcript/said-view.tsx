/** What was said in a turn, by whom, and a control to fork after it. */
import { escapeLine, escapeText } from '@ramet/core/text';
import { Bot, Brain, CircleAlert, User } from 'lucide-react';
import { BoundedText } from '../ui/bounded-text.tsx';
import { RichText } from '../ui/rich-text.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { Moment } from '../ui/time.tsx';
import { Attachments } from './attachments.tsx';
import { useFrame } from './context.ts';
import { Fold } from './fold.tsx';
import { ForkButton } from './fork-button.tsx';
import type { EntryOf, SaidItem, Told, TurnSpan } from './types.ts';
import { useTold } from './use-told.ts';

export interface SaidViewProps {
  readonly item: SaidItem;
  readonly span: TurnSpan | undefined;
}

/** One message, thought, summary, or request that failed. */
export function SaidView({ item, span }: SaidViewProps) {
  const { told } = item;
  switch (item.kind) {
    case 'user':
      return <Prompt told={told as Told<EntryOf<'user'>>} span={span} />;
    case 'assistant':
      return <Answer told={told as Told<EntryOf<'assistant'>>} span={span} />;
    case 'failed_request':
      return <FailedRequest entry={told.entry as EntryOf<'failed_request'>} />;
    default:
      return <Aside item={item} told={told as Told<EntryOf<'reasoning' | 'summary'>>} />;
  }
}

function Prompt({ told, span }: { readonly told: Told<EntryOf<'user'>>; readonly span: TurnSpan | undefined }) {
  const { id, asker = 'You' } = useFrame();
  const { entry, isLoading, error } = useTold(id, told, true);
  return (
    <article
      aria-label={`Message of turn ${span?.turn ?? ''}`}
      className="rounded-lg border border-line bg-surface px-3 py-2"
    >
      <header className="mb-1 flex items-center gap-1.5 text-muted text-xs">
        <User aria-hidden size={13} />
        <span className="flex-1">
          {asker} · turn {span?.turn} · <Moment time={told.event.time} />
        </span>
        <ForkButton span={span} />
      </header>
      {entry.notices.map((notice) => (
        <p key={notice} className="told mb-1.5 border-warn border-l-2 pl-2 text-muted text-xs">
          {escapeText(notice)}
        </p>
      ))}
      {isLoading ? <Loading what="a long message" /> : <BoundedText text={entry.text} />}
      {error !== null && <Trouble error={error} />}
      {entry.files.length > 0 && <Attachments event={told.event} />}
    </article>
  );
}

function Answer({ told, span }: { readonly told: Told<EntryOf<'assistant'>>; readonly span: TurnSpan | undefined }) {
  const { id } = useFrame();
  const { entry, isLoading, error } = useTold(id, told, true);
  return (
    <article aria-label={`Answer in turn ${span?.turn ?? ''}`} className="flex gap-1.5 px-1">
      <Bot aria-hidden size={15} className="mt-1 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        {isLoading ? <Loading what="a long answer" /> : <RichText text={entry.text} />}
        {error !== null && <Trouble error={error} />}
      </div>
      <ForkButton span={span} />
    </article>
  );
}

function FailedRequest({ entry }: { readonly entry: EntryOf<'failed_request'> }) {
  return (
    <p className="flex gap-1.5 px-1.5 text-warn text-xs">
      <CircleAlert aria-hidden size={14} className="mt-0.5 shrink-0" />
      <span className="told">
        The request to the model failed ({entry.code.replaceAll('_', ' ')}): {escapeText(entry.message)}
      </span>
    </p>
  );
}

function Aside({ item, told }: { readonly item: SaidItem; readonly told: Told<EntryOf<'reasoning' | 'summary'>> }) {
  const title = item.kind === 'reasoning' ? 'Thought' : 'What came before was summarised for the model';
  return (
    <Fold
      name={item.key}
      title={
        <>
          <Brain aria-hidden size={14} className="shrink-0" />
          <span className="shrink-0">{title}</span>
          <span className="truncate text-xs opacity-70">{escapeLine(told.entry.text.slice(0, 160))}</span>
        </>
      }
    >
      {() => <AsideText told={told} />}
    </Fold>
  );
}

function AsideText({ told }: { readonly told: Told<EntryOf<'reasoning' | 'summary'>> }) {
  const { id } = useFrame();
  const { entry, isLoading, error } = useTold(id, told, true);
  if (error !== null) return <Trouble error={error} />;
  return isLoading ? <Loading what="a long text" /> : <BoundedText text={entry.text} className="p-2 text-muted" />;
}
