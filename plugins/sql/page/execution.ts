/** The run of a script: one at a time. */

import { messageOf } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { runOnServer } from './server-engine.js';
import { runScript, stop } from './session.js';
import type { Outcome } from './session.js';

type Execution =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly step: string; readonly abort: () => void }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly message: string };

/** Where scripts run. */
export type Place = 'server' | 'browser';

export function useExecution(): { readonly state: Execution; readonly execute: (query: string, place: Place) => void } {
  const [state, setState] = useState<Execution>({ kind: 'idle' });
  const execute = (query: string, place: Place): void => {
    if (state.kind === 'running') return;
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
      if (place === 'browser') stop();
    };
    const show = (step: string): void => setState({ kind: 'running', step, abort });
    show(place === 'server' ? 'Running on the server' : 'Starting');
    const running = place === 'server' ? runOnServer(query, controller.signal) : runScript(query, controller.signal, show);
    running.then(
      outcome => setState({ kind: 'done', outcome }),
      (error: unknown) => setState({ kind: 'failed', message: controller.signal.aborted ? stopped[place] : messageOf(error) }),
    );
  };
  return { state, execute };
}

const stopped: Readonly<Record<Place, string>> = { server: 'Stopped.', browser: 'Stopped. Tables made before are gone.' };
