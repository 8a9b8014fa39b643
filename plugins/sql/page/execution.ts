/** The run of a script: one at a time. */

import { messageOf } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { runScript, stop } from './session.js';
import type { Outcome } from './session.js';

type Execution =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly step: string; readonly abort: () => void }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly message: string };

export function useExecution(query: string): { readonly state: Execution; readonly execute: () => void } {
  const [state, setState] = useState<Execution>({ kind: 'idle' });
  const execute = (): void => {
    if (state.kind === 'running') return;
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
      stop();
    };
    const show = (step: string): void => setState({ kind: 'running', step, abort });
    show('Starting');
    runScript(query, controller.signal, show).then(
      outcome => setState({ kind: 'done', outcome }),
      (error: unknown) =>
        setState({ kind: 'failed', message: controller.signal.aborted ? 'Stopped. Tables made before are gone.' : messageOf(error) }),
    );
  };
  return { state, execute };
}
