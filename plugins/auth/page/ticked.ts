/** Items that are ticked. */
import { useState } from 'preact/hooks';

export interface Ticked {
  readonly ids: ReadonlySet<string>;
  tick(id: string, on: boolean): void;
  clear(): void;
}

export function useTicked(): Ticked {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ids,
    tick: (id, on) => setIds(before => new Set(on ? [...before, id] : [...before].filter(other => other !== id))),
    clear: () => setIds(new Set()),
  };
}
