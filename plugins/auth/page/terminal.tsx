/** Allows a login from a terminal: the person says that the program is theirs. */
import { Alert, Button, ask, messageOf, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

export default function Terminal() {
  const place = usePlace();
  const request = place.query['request'] ?? '';
  const [state, setState] = useState<{ step: 'asking' | 'busy' | 'done'; problem?: string }>({ step: 'asking' });
  const allow = async (): Promise<void> => {
    setState({ step: 'busy' });
    try {
      await ask('releaseTokenToMailbox', { loginRequestToken: request, 'X-Srv-Confirm': 'login' });
      setState({ step: 'done' });
    } catch (error) {
      setState({ step: 'asking', problem: messageOf(error) });
    }
  };
  return (
    <div class="card">
      <div class="card-body form">
        <h1>Log in a terminal</h1>
        {state.problem !== undefined && <Alert>{state.problem}</Alert>}
        {state.step === 'done' ? (
          <p>The terminal is logged in. You can close this page.</p>
        ) : (
          <>
            <p>
              A program asks to work in your name. Allow it only if you have just started <code>cli login</code> yourself, and the code it
              shows is <strong class="mono">{codeOf(request)}</strong>.
            </p>
            <Button kind="primary" off={request === '' ? 'start with cli login' : undefined} onClick={() => void allow()}>
              Allow
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

/** The end of the request, which the terminal shows, too. */
const codeOf = (request: string): string => request.slice(-8);
