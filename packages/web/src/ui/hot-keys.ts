import { useEffect, useEffectEvent } from 'react';

/** Keys of a page, by name; they hold where nothing is typed and no dialog is open. */
export function useHotKeys(keys: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const call = keys[event.key];
    if (call === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]'))
      return;
    event.preventDefault();
    call();
  });
  useEffect(() => {
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
