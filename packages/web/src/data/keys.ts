/** Names of what is asked of the API, so that whoever changes something can say what is stale by it. */
export const keys = {
  rows: ['rows'],
  inbox: ['inbox'],
  usage: ['usage'],
  capabilities: ['capabilities'],
  /** One session's or run's own answers: all of them begin with this. */
  of: (id: string) => ['of', id] as const,
  session: (id: string) => ['of', id, 'session'] as const,
  run: (id: string) => ['of', id, 'run'] as const,
  removal: (id: string) => ['of', id, 'removal'] as const,
  folder: (id: string, at: number, path: string) => ['of', id, 'folder', at, path] as const,
  file: (id: string, at: number, path: string) => ['of', id, 'file', at, path] as const,
  diff: (id: string, at: number, from: number | null) => ['of', id, 'diff', at, from] as const,
  payloads: (id: string, digests: readonly string[]) => ['payload', id, digests] as const,
};
