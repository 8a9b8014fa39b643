/** The state of an import that runs, followed until its end. */
import { Refusal, SessionEnded, ask, messageOf } from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';

interface Status {
  readonly completed: boolean;
  readonly ingested_objects?: number;
  readonly commit?: { readonly id: string };
  readonly error?: { readonly message: string };
}

export interface Followed {
  readonly status: Status;
  /** Why the state is not known at the moment: the import may be running, and is still followed. */
  readonly trouble?: string | undefined;
  /** Why the import is over without a result. */
  readonly failed?: string | undefined;
}

/** Milliseconds between two requests, and at most while the server does not answer them. */
const [pauseMs, longestPauseMs] = [1500, 30_000];

export function useImportStatus(at: { readonly repository: string; readonly branch: string; readonly id: string }): Followed {
  const [followed, setFollowed] = useState<Followed>({ status: { completed: false } });
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    const readAfter = (ms: number): void => {
      timer = window.setTimeout(() => void read(ms), ms);
    };
    const read = async (pausedMs: number): Promise<void> => {
      try {
        const status = (await ask('importStatus', at, { signal: controller.signal })) as Status;
        if (controller.signal.aborted) return;
        setFollowed({ status, failed: status.error?.message });
        if (!status.completed && !status.error) readAfter(pauseMs);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (isFinal(error)) return setFollowed(({ status }) => ({ status, failed: messageOf(error) }));
        setFollowed(({ status }) => ({ status, trouble: troubleOf(error) }));
        readAfter(Math.min(longestPauseMs, Math.max(pauseMs, pausedMs * 2)));
      }
    };
    void read(0);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [at.repository, at.branch, at.id]);
  return followed;
}

/** Only such a refusal says that there is nothing to follow; any other error leaves open how the import is. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Refusal) || error instanceof SessionEnded) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** @returns `undefined` after the end of the session, of which the dialog itself informs. */
function troubleOf(error: unknown): string | undefined {
  if (error instanceof SessionEnded) return undefined;
  if (error instanceof Refusal && error.status === 0) return 'The server cannot be reached; still trying. The import may be running.';
  return `The state of the import cannot be read; still trying. The server answered: ${messageOf(error)}`;
}
