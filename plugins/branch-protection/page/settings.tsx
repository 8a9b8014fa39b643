/** Patterns of branches that take changes by merges only. */

import { Button, Empty, With, call, useAsync, useRefusal } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { matchesPattern } from './branch-pattern.js';
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
    await saveRules(repository, changed);
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
                <RuleRow key={text} pattern={text} matched={matched(text).length} off={off} onRemove={() => setDialog({ remove: text })} />
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

/** @returns the branches that match a pattern; empty until they are known. */
function useMatched(repository: string): (pattern: string) => readonly string[] {
  const branches = useAsync(
    async signal => (await call('listBranches', { repository, amount: 1000 }, { signal })).results.map(({ id }) => id),
    [repository],
  );
  const names = branches.state === 'ready' ? branches.value : [];
  return pattern => names.filter(name => matchesPattern(pattern, name));
}
