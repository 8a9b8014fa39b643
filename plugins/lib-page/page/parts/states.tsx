/** What a view shows while it has nothing to show. */

import { Refusal, SessionEnded, messageOf } from '../core/client.js';
import { Icon } from './icon.js';
import { Retry } from './retry.js';
import type { ComponentChildren, VNode } from 'preact';
import type { AsyncData } from '../core/async-data.js';
import type { IconName } from './icon.js';

export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status">
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} />
      ))}
      <div class="unseen">Loading…</div>
    </div>
  );
}

interface LoadingRowsProps {
  /** Pixels of a row. */
  readonly height: number;
  readonly head?: ComponentChildren;
}

/** Rows that fill the window, as high as those that come: nothing moves then. */
export function LoadingRows({ height, head }: LoadingRowsProps) {
  const count = Math.max(3, Math.floor((innerHeight - 320) / height));
  return (
    <div class="rows">
      {head && (
        <div class="rows-head" inert>
          {head}
        </div>
      )}
      <div class="skeleton of-rows" role="status">
        {Array.from({ length: count }, (_, i) => (
          <span key={i} style={{ height: `${height}px` }} />
        ))}
        <div class="unseen">Loading…</div>
      </div>
    </div>
  );
}

interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ icon = 'info', title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A refusal for want of permission says so; everything else shows the server's words. A wrong request is not sent again. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const denied = error instanceof Refusal && !(error instanceof SessionEnded) && (error.status === 401 || error.status === 403);
  if (denied)
    return (
      <Empty icon="lock" title="You have no permission to see this">
        <p>{messageOf(error)}</p>
        <p>Ask an administrator of this server for it.</p>
      </Empty>
    );
  if (error instanceof Refusal && error.status === 404)
    return (
      <Empty icon="search" title="Not found">
        <p>{messageOf(error)}</p>
      </Empty>
    );
  const isWrong = error instanceof Refusal && error.status === 400;
  return (
    <Alert>
      {messageOf(error)}
      {retry && !isWrong && (
        <>
          {' '}
          <Retry error={error} retry={retry} />
        </>
      )}
    </Alert>
  );
}

export function Alert({ children, kind = 'error' }: { readonly children: ComponentChildren; readonly kind?: 'error' | 'note' }) {
  return (
    <div class={`alert ${kind === 'note' ? 'note' : ''}`} role={kind === 'error' ? 'alert' : 'note'}>
      <Icon name={kind === 'error' ? 'alert' : 'info'} />
      <div class="text">{children}</div>
    </div>
  );
}

interface WithProps<T> {
  readonly answer: AsyncData<T>;
  readonly rows?: number;
  readonly children: (value: T) => VNode | string | null;
}

/** Loading, refused, or the value. */
export function With<T>({ answer, rows = 4, children }: WithProps<T>) {
  if (answer.state === 'failed') return <Failed error={answer.error} retry={answer.reload} />;
  if (answer.state === 'loading') return <Loading rows={rows} />;
  return <>{children(answer.value)}</>;
}
