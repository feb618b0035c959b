import { useEffect } from 'react';

const NAME = 'Ramet';

/** Names the page in the browser's tabs and history while the component is there. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? NAME : `${title} · ${NAME}`;
    return () => {
      document.title = NAME;
    };
  }, [title]);
}
