/** The dialogs that add a rule, and delete one. */
import { Confirm, Field, FormDialog, counted, shownName } from '@srv/lib-page/page';

interface AddRuleProps {
  readonly pattern: string;
  readonly onPattern: (pattern: string) => void;
  /** Names of the branches that match. */
  readonly matched: readonly string[];
  readonly onClose: () => void;
  readonly onAdd: (pattern: string) => Promise<void>;
}

const mostNamed = 8;

export function AddRule({ pattern, onPattern, matched, onClose, onAdd }: AddRuleProps) {
  return (
    <FormDialog
      title="Protect branches"
      action="Add"
      off={pattern.trim() === '' && 'write a pattern'}
      onClose={onClose}
      onSubmit={() => onAdd(pattern.trim())}
    >
      <Field
        label="Pattern"
        placeholder="release-*"
        value={pattern}
        onInput={onPattern}
        focus
        hint="* stands for any text, ? for one character"
      />
      {pattern !== '' && (
        <p class="small muted" role="status">
          Matches {counted(matched.length, 'branch', 'branches')} now
          {matched.length > 0 && `: ${matched.slice(0, mostNamed).map(shownName).join(', ')}`}
        </p>
      )}
    </FormDialog>
  );
}

interface DeleteRuleProps {
  readonly pattern: string;
  readonly onClose: () => void;
  readonly onDelete: () => Promise<void>;
}

export function DeleteRule({ pattern, onClose, onDelete }: DeleteRuleProps) {
  return (
    <Confirm title="Delete the rule" action="Yes, delete" onClose={onClose} onConfirm={onDelete}>
      <p>
        Branches that match <code>{shownName(pattern)}</code> will take uploads and commits again.
      </p>
    </Confirm>
  );
}
