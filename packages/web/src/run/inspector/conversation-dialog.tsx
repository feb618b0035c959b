/** What an agent node and its model said to each other, as a session's page shows it. */
import { useMemo, useState } from 'react';
import { useShortIds } from '../../data/short-ids.ts';
import { TranscriptBuilder } from '../../transcript/builder.ts';
import { TranscriptContext } from '../../transcript/context.ts';
import { TranscriptList } from '../../transcript/transcript-list.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Looked } from '../use-moment.ts';

export interface ConversationDialogProps {
  readonly id: string;
  readonly node: string;
  readonly looked: Looked;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The dialog; it grows while the node is at work. */
export function ConversationDialog({ id, node, looked, isOpen, onClose }: ConversationDialogProps) {
  return (
    <Dialog title={`Conversation of ${node}`} shape="wide" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Conversation id={id} node={node} looked={looked} />}
    </Dialog>
  );
}

/** All of it is there: nothing is earlier. */
const nothingEarlier = () => {};

function Conversation({
  id,
  node,
  looked: { timeline, events, moment },
}: Omit<ConversationDialogProps, 'isOpen' | 'onClose'>) {
  const shortId = useShortIds();
  const [folds] = useState(() => new Map<string, boolean>());
  const frame = useMemo(
    () => ({ id, asker: 'The run', ownFrom: 0, shortId, onFork: null, onChanges: null, folds }),
    [id, shortId, folds],
  );
  const transcript = useMemo(() => {
    const builder = new TranscriptBuilder({ turnsBefore: 0, isOpen: false });
    for (const offset of timeline.eventsOf(node)) {
      const event = events[offset];
      if (event !== undefined && offset <= moment.offset) builder.add(event);
    }
    return builder.transcript;
  }, [timeline, events, moment, node]);
  if (transcript.items.length === 0) return <Empty title="Nothing was said yet" />;
  return (
    <TranscriptContext value={frame}>
      <TranscriptList
        transcript={transcript}
        hasEarlier={false}
        onEarlier={nothingEarlier}
        newest={String(transcript.items.length)}
      >
        {null}
      </TranscriptList>
    </TranscriptContext>
  );
}
