import type { Ask } from '@ramet/client';
import { AskCard } from '../calls/ask-card.tsx';

/** What a session asks now, above where a person writes: in sight wherever they read. */
export function Questions({ id, asks }: { readonly id: string; readonly asks: readonly Ask[] }) {
  if (asks.length === 0) return null;
  return (
    <div className="max-h-[60%] shrink-0 overflow-y-auto px-3 pb-2">
      <div className="mx-auto w-full max-w-3xl space-y-3">
        {asks.map((ask) => (
          <AskCard key={ask.callId} id={id} ask={ask} />
        ))}
      </div>
    </div>
  );
}
