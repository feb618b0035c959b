import type { Rule } from '@ramet/client';
import { summarizeInput } from '../calls/summary.ts';
import { CheckField } from '../ui/field.tsx';
import type { Grant } from './grants.ts';
import { type ForkPlace, useGrants } from './use-fork.ts';

export interface GrantsProps {
  readonly place: ForkPlace;
  readonly chosen: readonly Rule[];
  readonly onChoose: (rules: readonly Rule[]) => void;
}

/** The approvals that stood at the fork point: none is inherited, each can be given again. */
export function Grants({ place, chosen, onChoose }: GrantsProps) {
  const { data, error } = useGrants(place);
  if (error !== null)
    return <p className="text-danger text-xs">Earlier approvals could not be read: {error.message}</p>;
  if (data === undefined) return <p className="text-muted text-xs">Looking for earlier approvals…</p>;
  if (data.length === 0) return null;
  const toggle = ({ rule }: Grant) =>
    onChoose(chosen.includes(rule) ? chosen.filter((other) => other !== rule) : [...chosen, rule]);
  return (
    <fieldset>
      <legend className="font-semibold">Approvals</legend>
      <p className="mb-2 text-muted">A fork inherits none. Those you choose are given again, with its messages:</p>
      <div className="space-y-1.5">
        {data.map((grant) => (
          <CheckField
            key={`${grant.tool} ${grant.rule.match}`}
            label={`${grant.tool}: ${summarizeInput(grant.input)}`}
            {...(grant.isWider
              ? { hint: 'Its * stands for anything: this allows more than the call it was given for.' }
              : {})}
            checked={chosen.includes(grant.rule)}
            onChange={() => toggle(grant)}
          />
        ))}
      </div>
    </fieldset>
  );
}
