/** The list of what can complete a line. */
import { shownName } from '@srv/lib-page/page';

interface CandidatesProps {
  readonly candidates: readonly string[];
  /** The one that Enter takes. */
  readonly at: number;
  readonly onTake: (candidate: string) => void;
}

export function Candidates({ candidates, at, onTake }: CandidatesProps) {
  return (
    <div role="listbox" id="shell-candidates" aria-label="Completions" class="shell-candidates">
      {candidates.map((candidate, i) => (
        <div
          key={candidate}
          id={`shell-candidate-${i}`}
          role="option"
          aria-selected={i === at}
          onMouseDown={event => event.preventDefault()}
          onClick={() => onTake(candidate)}
        >
          {shownName(candidate)}
        </div>
      ))}
    </div>
  );
}
