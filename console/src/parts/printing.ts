import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Returns whether the page is being printed. The page is rendered again before the browser prints it. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const change = ({ type }: Event): void => {
      flushSync(() => {
        setPrinting(type === 'beforeprint');
      });
    };
    window.addEventListener('beforeprint', change);
    window.addEventListener('afterprint', change);
    return () => {
      window.removeEventListener('beforeprint', change);
      window.removeEventListener('afterprint', change);
    };
  }, []);
  return isPrinting;
}
