/** Patterns of branches that take changes by merges only. */
import { useState } from 'preact/hooks';
import {
  Button,
  Confirm,
  Empty,
  Field,
  FormDialog,
  Icon,
  With,
  ask,
  call,
  counted,
  notify,
  send,
  shownName,
  useAsync,
  useRefusal,
} from '@srv/lib-page/page';
import { matchesPattern } from './branch-pattern.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';

interface Rules {
  readonly patterns: readonly string[];
  /** Names this state of the rules: it makes the server reject a change if another one was made meanwhile. */
  readonly etag: string;
}

async function read(repository: string, signal: AbortSignal): Promise<Rules> {
  const response = await send('getBranchProtectionRules', { repository }, { signal });
  const rules = (await response.json()) as readonly { readonly pattern: string }[];
  return { patterns: rules.map(({ pattern }) => pattern), etag: response.headers.get('etag') ?? '' };
}

export default function Protection({ repository, readOnly }: RepositoryPlace) {
  const rules = useAsync(signal => read(repository, signal), [repository]);
  const branches = useAsync(
    async signal => (await call('listBranches', { repository, amount: 1000 }, { signal })).results.map(({ id }) => id),
    [repository],
  );
  const names = branches.state === 'ready' ? branches.value : [];
  const [dialog, setDialog] = useState<{ remove: string } | 'add'>();
  const [pattern, setPattern] = useState('');
  const refused = useRefusal('createBranchProtectionRulePreflight', { repository });
  const off = readOnly ? 'this repository is read-only' : refused;
  const save = async (patterns: readonly string[], etag: string): Promise<void> => {
    await ask('setBranchProtectionRules', {
      repository,
      body: patterns.map(text => ({ pattern: text })),
      ...(etag === '' ? {} : { 'If-Match': etag }),
    });
    notify('Saved the protection rules');
    setDialog(undefined);
    setPattern('');
    rules.reload();
  };
  const matched = (text: string): readonly string[] => names.filter(name => matchesPattern(text, name));
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
      <p class="muted">A protected branch accepts no uploads and no commits; it changes by merges.</p>
      <With answer={rules}>
        {({ patterns, etag }) => (
          <>
            <div class="card">
              {patterns.length === 0 && <Empty icon="lock" title="No branch is protected" />}
              {patterns.map(text => (
                <div class="row rule-row" key={text}>
                  <span class="cell-name">
                    <Icon name="lock" />
                    <code>{shownName(text)}</code>
                  </span>
                  <span class="muted small">{counted(matched(text).length, 'branch', 'branches')}</span>
                  <Button
                    kind="plain"
                    icon="trash"
                    label={`Delete ${shownName(text)}`}
                    off={off}
                    onClick={() => setDialog({ remove: text })}
                  />
                </div>
              ))}
            </div>
            {dialog === 'add' && (
              <FormDialog
                title="Protect branches"
                action="Add"
                off={pattern.trim() === '' && 'write a pattern'}
                onClose={() => setDialog(undefined)}
                onSubmit={() => save([...patterns, pattern.trim()], etag)}
              >
                <Field
                  label="Pattern"
                  placeholder="release-*"
                  value={pattern}
                  onInput={setPattern}
                  focus
                  hint="* stands for any text, ? for one character"
                />
                {pattern !== '' && (
                  <p class="small muted" role="status">
                    Matches {counted(matched(pattern).length, 'branch', 'branches')} now
                    {matched(pattern).length > 0 && `: ${matched(pattern).slice(0, 8).map(shownName).join(', ')}`}
                  </p>
                )}
              </FormDialog>
            )}
            {typeof dialog === 'object' && (
              <Confirm
                title="Delete the rule"
                action="Yes, delete"
                onClose={() => setDialog(undefined)}
                onConfirm={() =>
                  save(
                    patterns.filter(text => text !== dialog.remove),
                    etag,
                  )
                }
              >
                <p>
                  Branches that match <code>{shownName(dialog.remove)}</code> will take uploads and commits again.
                </p>
              </Confirm>
            )}
          </>
        )}
      </With>
    </div>
  );
}
