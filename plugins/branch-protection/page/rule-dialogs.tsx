/** The dialogs that add a rule, and delete one. */
import { Confirm, Field, FormDialog, shownName } from '@srv/lib-page/page';
import { matchedText } from './matched-branches.js';
import type { Matched } from './matched-branches.js';

interface AddRuleProps {
  readonly pattern: string;
  readonly onPattern: (pattern: string) => void;
  /** Branches that match, once they are known. */
  readonly matched: Matched | undefined;
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
      {pattern !== '' && matched && (
        <p class="small muted" role="status">
          Matches {matchedText(matched)} now
          {matched.names.length > 0 && `: ${matched.names.slice(0, mostNamed).map(shownName).join(', ')}`}
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
