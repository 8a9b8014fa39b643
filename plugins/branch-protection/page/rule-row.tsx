/** A pattern, and how many branches match it. */
import { Button, Icon, counted, shownName } from '@srv/lib-page/page';

interface RuleRowProps {
  readonly pattern: string;
  /** Branches that match. */
  readonly matched: number;
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
      <span class="muted small">{counted(matched, 'branch', 'branches')}</span>
      <Button kind="plain" icon="trash" label={`Delete ${shownName(pattern)}`} off={off} onClick={onRemove} />
    </div>
  );
}
