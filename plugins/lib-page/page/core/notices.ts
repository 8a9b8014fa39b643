/** Short notes at the edge of the page. */
import { signal } from '@preact/signals';

interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

export const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Failures stay until they are dismissed. */
export function notify(text: string, kind: Notice['kind'] = 'done'): void {
  const id = ++last;
  notices.value = [...notices.value, { id, kind, text }];
  if (kind === 'done') setTimeout(() => dismiss(id), 4000);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id);
}
