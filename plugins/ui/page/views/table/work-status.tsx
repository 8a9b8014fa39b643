/** How far work on a whole table is, with a way to stop it. */
import { Alert, Button, counted, messageOf } from '@srv/lib-page/page';
import type { Work } from './use-work.js';

export function WorkStatus<T>({ work, what }: { readonly work: Work<T>; readonly what: string }) {
  if (work.state === 'running') {
    const { share, step = what, found } = work.progress;
    return (
      <div class="work" role="status">
        <progress max={1} value={share} aria-label={step} />
        <span class="muted small">
          {step}: {Math.floor(share * 100)}%{found !== undefined && ` · ${counted(found, 'row')} found`}
        </span>
        <Button icon="close" onClick={work.stop}>
          Stop
        </Button>
      </div>
    );
  }
  if (work.state === 'failed')
    return (
      <Alert>
        {messageOf(work.error)}{' '}
        <Button icon="refresh" onClick={work.start}>
          Try again
        </Button>
      </Alert>
    );
  if (work.state !== 'stopped') return null;
  return (
    <div class="work" role="status">
      <span class="muted small">Stopped before all rows were looked at.</span>
      <Button icon="refresh" onClick={work.start}>
        Start again
      </Button>
    </div>
  );
}
