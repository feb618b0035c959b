/**
 * Which permission rules hold in a turn, or while a graph run is driven.
 *
 * 1. Files are read anew at each turn. Of the command line, `allow` holds for the turn it was given to; `deny` and `ask`
 *    hold for the later turns of that session too, until they are dropped on purpose.
 * 2. A fork may never do more than its parent: it keeps what held at the fork point, and what the parent was told since
 *    then, as long as the parent's log is there.
 */
import { type Descent, type EventOf, knownEvent, type LastingRule, lastingRules, parseLine } from '@ramet/core';
import type { Configuration } from '../config/index.ts';
import type { FileStore } from '../store/index.ts';
import type { PermissionRule, TurnSettings } from './types.ts';

export interface RuleSources {
  readonly configuration: Configuration;
  readonly settings: Pick<TurnSettings, 'rules' | 'forgetRules'>;
  readonly state: RecordedRules;
  readonly store: FileStore;
}

/** What a log says of the rules that held: its last configuration, and the run it inherited from. */
export interface RecordedRules {
  readonly config?: EventOf<'session.config'>;
  readonly descent?: Descent;
}

/** Every rule of a turn, each once and with where it comes from. */
export function gatherRules({ configuration, settings, state, store }: RuleSources): readonly PermissionRule[] {
  const given = settings.rules.map((rule): PermissionRule => ({ ...rule, from: 'flag' }));
  const earlier = settings.forgetRules === true ? [] : findEarlierRules(state, store);
  const rules = new Map<string, PermissionRule>();
  for (const rule of [...configuration.rules, ...given, ...earlier]) {
    const key = JSON.stringify([rule.tool, rule.match, rule.do]);
    if (!rules.has(key) || rule.from === 'flag') rules.set(key, rule);
  }
  return [...rules.values()];
}

function findEarlierRules(state: RecordedRules, store: FileStore): readonly PermissionRule[] {
  const { config, descent } = state;
  const inherited = descent !== undefined && (config?.seq ?? -1) < descent.ownFrom;
  const rules = [...lastingRules(config), ...(inherited ? readParentRules(descent, store) : [])];
  return rules.map((rule) => ({ ...rule, from: 'earlier' }));
}

/** What the parent was told after the fork point; a parent that is gone or damaged says nothing. */
function readParentRules({ parent, offset }: Descent, store: FileStore): readonly LastingRule[] {
  const outline = store.read(parent)?.readOutline();
  if (outline === undefined || outline.damage !== null) return [];
  const segment = outline.heads.findLastIndex(({ config }) => config !== undefined && config.offset > offset);
  const place = outline.heads[segment]?.config;
  if (place === undefined) return [];
  const event = parseLine(Buffer.from(outline.readLineBytes(segment, place.position, place.bytes)).toString('utf8'));
  const known = typeof event === 'string' ? null : knownEvent(event);
  return known?.type === 'session.config' ? lastingRules(known) : [];
}
