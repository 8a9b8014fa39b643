/** The button that loads again what failed. */
import { useState } from 'preact/hooks';
import { Button } from './button.js';

interface RetryProps {
  /** What went wrong; the next attempt that fails has an error of its own, or none. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** From a click until the attempt is over it says so, and does not begin another one. */
export function Retry({ error, retry }: RetryProps) {
  const [tried, setTried] = useState<unknown>();
  const isBusy = error instanceof Error && tried === error;
  return (
    <Button
      icon="refresh"
      off={isBusy && 'working'}
      onClick={() => {
        setTried(error);
        retry();
      }}
    >
      {isBusy && <span class="spin" />}
      {isBusy ? 'Trying again…' : 'Try again'}
    </Button>
  );
}
