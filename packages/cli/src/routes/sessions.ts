import type { SessionsFlags } from '../flags.ts';
import { defineCommand, JSON_FLAG } from './define.ts';
import { COUNT, SWITCH } from './kinds.ts';

export const sessionsCommand = defineCommand<SessionsFlags, []>({
  load: async () => (await import('../commands/sessions.ts')).sessions,
  parameters: {
    flags: {
      json: JSON_FLAG,
      tree: { ...SWITCH, brief: 'Show forks below the session they came from' },
      project: { ...SWITCH, brief: "Only sessions of this folder's project" },
      limit: { ...COUNT, brief: 'Show at most this many' },
    },
  },
  docs: {
    brief: 'List sessions, the one that was active last first',
    text: 'Lists every session of the store. A title in brackets was not given to this very session: it is inherited, or the first prompt. STATE is running, idle, interrupted (a turn has no end and nobody is at it) or damaged; idle (failed), idle (limit) and idle (stopped) say how the last turn ended. SIZE is what its log takes and shares with no other session; files of workspaces are not counted. COST is its own, where it is known.',
    examples: ['ramet sessions', 'ramet sessions --tree', "ramet sessions --json | jq -r '.sessions[].id'"],
  },
});
