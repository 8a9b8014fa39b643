/** What can complete a line. */
import { useState } from 'preact/hooks';
import { commonStart, completedLine } from '../../src/model/shell-line.js';
import { complete } from './store.js';

/** Candidates that are offered. */
const mostCandidates = 60;

interface Offered {
  readonly candidates: readonly string[];
  /** The one that Enter takes. */
  readonly at: number;
}

export interface Completion {
  readonly offered: Offered | undefined;
  /** Offers candidates, unless only one fits, or all begin alike. @returns the line with what is certain. */
  completed(line: string): Promise<string | undefined>;
  /** To another candidate. */
  move(step: 1 | -1): void;
  dismiss(): void;
}

/** @param current the line as it is now: the user may type while the server is asked. */
export function useCompletion(current: () => string | undefined): Completion {
  const [offered, setOffered] = useState<Offered>();
  return {
    offered,
    completed: async line => {
      const { candidates, partial } = await complete(line);
      const [only] = candidates;
      if (current() !== line || only === undefined) return undefined;
      if (candidates.length === 1) return completedLine(line, only, true);
      const common = commonStart(candidates);
      if (common.length > partial.length) return completedLine(line, common, false);
      setOffered({ candidates: candidates.slice(0, mostCandidates), at: 0 });
      return undefined;
    },
    move: step => {
      if (offered) setOffered({ ...offered, at: (offered.at + step + offered.candidates.length) % offered.candidates.length });
    },
    dismiss: () => setOffered(undefined),
  };
}
