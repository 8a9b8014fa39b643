/** Patterns of branches that take changes by merges only. */

import { Button, Empty, With, unlessChanged, useRefusal } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useMatched } from './matched-branches.js';
import { AddRule, DeleteRule } from './rule-dialogs.js';
import { RuleRow } from './rule-row.js';
import { saveRules, useRules } from './rules.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';
import type { Rules } from './rules.js';

export default function Protection({ repository, readOnly }: RepositoryPlace) {
  const rules = useRules(repository);
  const matched = useMatched(repository);
  const [dialog, setDialog] = useState<{ remove: string } | 'add'>();
  const [pattern, setPattern] = useState('');
  const refused = useRefusal('createBranchProtectionRulePreflight', { repository });
  const off = readOnly ? 'this repository is read-only' : refused;
  const close = (): void => setDialog(undefined);
  const save = async (changed: Rules): Promise<void> => {
    await unlessChanged(saveRules(repository, changed), rules.reload, 'The list shows the current rules now: check them, then try again.');
    close();
    setPattern('');
    rules.reload();
  };
  return (
    <div class="form">
      <div class="toolbar">
        <h2>Branch protection</h2>
        <span class="spread">
          <Button kind="primary" icon="plus" off={off} onClick={() => setDialog('add')}>
            Add
          </Button>
        </span>
      </div>
      <p class="muted">
        A protected branch refuses writes of objects, commits and resets. Merges, imports, reverts, cherry-picks and its deletion need only
        the permission.
      </p>
      <With answer={rules}>
        {({ patterns, etag }) => (
          <>
            <div class="card">
              {patterns.length === 0 && <Empty icon="lock" title="No branch is protected" />}
              {patterns.map(text => (
                <RuleRow key={text} pattern={text} matched={matched(text)} off={off} onRemove={() => setDialog({ remove: text })} />
              ))}
            </div>
            {dialog === 'add' && (
              <AddRule
                pattern={pattern}
                onPattern={setPattern}
                matched={matched(pattern)}
                onClose={close}
                onAdd={added => save({ patterns: [...patterns, added], etag })}
              />
            )}
            {typeof dialog === 'object' && (
              <DeleteRule
                pattern={dialog.remove}
                onClose={close}
                onDelete={() => save({ patterns: patterns.filter(text => text !== dialog.remove), etag })}
              />
            )}
          </>
        )}
      </With>
    </div>
  );
}
