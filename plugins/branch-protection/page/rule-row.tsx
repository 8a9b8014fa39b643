/** A pattern, and how many branches match it. */
import { Button, Icon, shownName } from '@srv/lib-page/page';
import { matchedText } from './matched-branches.js';
import type { Matched } from './matched-branches.js';

interface RuleRowProps {
  readonly pattern: string;
  /** Branches that match, once they are known. */
  readonly matched: Matched | undefined;
  readonly off: string | undefined;
  readonly onRemove: () => void;
}

export function RuleRow({ pattern, matched, off, onRemove }: RuleRowProps) {
  return (
    <div class="row rule-row">
      <span class="cell-name">
        <Icon name="lock" />
        <code>{shownName(pattern)}</code>
      </span>
      <span class="muted small">{matched && matchedText(matched)}</span>
      <Button kind="plain" icon="trash" label={`Delete ${shownName(pattern)}`} off={off} onClick={onRemove} />
    </div>
  );
}
