import type { CallItem, Item, Transcript } from '../transcript/types.ts';

/**
 * The calls of the open turn that began, may have reached the outside, and have neither a result nor a person's word:
 * what a turn nobody works on waits for.
 */
export function unknownCallsOf({ items, open }: Transcript): readonly CallItem[] {
  if (open === null) return [];
  return items.filter((item): item is CallItem => item.turn === open && isUnknown(item));
}

function isUnknown(item: Item): boolean {
  if (item.kind !== 'call' || item.intent === undefined) return false;
  const { intent, result, resolved } = item;
  return result === undefined && resolved === undefined && intent.effect === 'write' && intent.contained !== true;
}
