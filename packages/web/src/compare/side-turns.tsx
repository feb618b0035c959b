import { useShortIds } from '../data/short-ids.ts';
import { TurnsView } from './turns-view.tsx';

export interface SideTurnsProps {
  readonly id: string;
  /** The last event both have; -1: there is none. */
  readonly after: number;
}

/** What one session did after the parting. */
export function SideTurns({ id, after }: SideTurnsProps) {
  const shortId = useShortIds();
  return (
    <section aria-label={`What ${shortId(id)} did`}>
      <h2 className="mb-2 border-line border-b pb-1 font-medium text-muted text-xs">
        After the parting: <span className="font-mono">{shortId(id)}</span>
      </h2>
      <TurnsView id={id} from={after + 1} to={null} />
    </section>
  );
}
