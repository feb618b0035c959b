/** Where a session or a run is in this interface. */
export function addressOf({ kind, id }: { readonly kind: 'session' | 'run'; readonly id: string }) {
  return kind === 'session' ? ({ to: '/s/$id', params: { id } } as const) : ({ to: '/r/$id', params: { id } } as const);
}
