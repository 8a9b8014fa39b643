/** How long objects of old commits stay, and runs that remove the others. */

import {
  Button,
  Confirm,
  Empty,
  Field,
  FormDialog,
  RefPicker,
  Refusal,
  With,
  ask,
  counted,
  notify,
  offers,
  send,
  shownName,
  unlessChanged,
  useAsync,
  useRefusal,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { Runs } from './runs.js';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';

interface Rules {
  readonly default_retention_days: number;
  readonly branches: readonly { readonly branch_id: string; readonly retention_days: number }[];
  /** Members that this form does not know stay as they are. */
  readonly [more: string]: unknown;
}

interface StoredRules {
  /** `null`: none are set. */
  readonly found: Rules | null;
  /** Names this state of the rules, empty for none: it makes the server reject a change if another one was made meanwhile. */
  readonly etag: string;
}

/** Rules that do not exist are not an error. */
async function read(repository: string, signal: AbortSignal): Promise<StoredRules> {
  try {
    const response = await send('getGCRules', { repository }, { signal });
    return { found: (await response.json()) as Rules, etag: response.headers.get('etag') ?? '' };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return { found: null, etag: '' };
    throw error;
  }
}

export default function Retention({ repository, readOnly }: RepositoryPlace) {
  const rules = useAsync(signal => read(repository, signal), [repository]);
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const refused = useRefusal('setGarbageCollectionRulesPreflight', { repository });
  const readOnlyOff = readOnly ? 'this repository is read-only' : undefined;
  const off = readOnlyOff ?? refused;
  const done = (text: string): void => {
    notify(text);
    setDialog(undefined);
    rules.reload();
  };
  return (
    <div class="form">
      <With answer={rules}>
        {({ found, etag }) => (
          <>
            <div class="toolbar">
              <h2>Garbage collection</h2>
              <span class="spread group">
                {found && (
                  <Button kind="danger" icon="trash" off={off} onClick={() => setDialog('delete')}>
                    Delete Policy
                  </Button>
                )}
                <Button kind="primary" off={off} onClick={() => setDialog('edit')}>
                  {found ? 'Edit Policy' : 'Set Policy'}
                </Button>
              </span>
            </div>
            <p class="muted">
              Objects that no branch, tag or young commit needs any more can be removed from the store. A commit stays young for as many
              days as its branch says.
            </p>
            <Policy rules={found} />
            {dialog === 'edit' && (
              <Edit
                repository={repository}
                stored={{ found, etag }}
                onClose={() => setDialog(undefined)}
                onChanged={rules.reload}
                onDone={() => done('Saved the policy')}
              />
            )}
            {dialog === 'delete' && (
              <Confirm
                title="Delete the policy"
                action="Yes, delete"
                onClose={() => setDialog(undefined)}
                onConfirm={async () => {
                  await ask('deleteGCRules', { repository });
                  done('Deleted the policy');
                }}
              >
                <p>Nothing will be removed any more.</p>
              </Confirm>
            )}
            {offers('listGarbageCollections') && (
              <Runs repository={repository} off={readOnlyOff ?? (found ? undefined : 'set a policy first')} />
            )}
          </>
        )}
      </With>
    </div>
  );
}

function Policy({ rules }: { readonly rules: Rules | null }) {
  return (
    <div class="card">
      {rules ? (
        <>
          <div class="row retention-row">
            <span>All branches</span>
            <strong>{counted(rules.default_retention_days, 'day')}</strong>
          </div>
          {rules.branches.map(({ branch_id: branch, retention_days: days }) => (
            <div class="row retention-row" key={branch}>
              <span>{shownName(branch)}</span>
              <strong>{counted(days, 'day')}</strong>
            </div>
          ))}
        </>
      ) : (
        <Empty icon="history" title="No policy is set">
          <p>Without one everything that was ever committed stays.</p>
        </Empty>
      )}
    </div>
  );
}

interface EditProps {
  readonly repository: string;
  readonly stored: StoredRules;
  readonly onClose: () => void;
  /** Another change was made since the rules were read. */
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

const isDays = (text: string): boolean => /^\d{1,5}$/.test(text.trim());

function Edit({ repository, stored, onClose, onChanged, onDone }: EditProps) {
  // What is typed begins with these rules, and replaces no others.
  const [{ found: rules, etag }] = useState(stored);
  const [days, setDays] = useState(String(rules?.default_retention_days ?? 21));
  const [branches, setBranches] = useState(
    (rules?.branches ?? []).map(rule => ({ name: rule.branch_id, days: String(rule.retention_days) })),
  );
  const wrong = !isDays(days) || branches.some(rule => !isDays(rule.days) || rule.name === '');
  const save = async (): Promise<void> => {
    const body = {
      ...rules,
      default_retention_days: Number(days),
      branches: branches.map(rule => ({ branch_id: rule.name, retention_days: Number(rule.days) })),
    };
    await unlessChanged(
      ask('setGCRules', { repository, body, 'If-Match': etag }),
      onChanged,
      'Close this dialog to see the current policy, then change that one.',
    );
    onDone();
  };
  return (
    <FormDialog
      title="Retention"
      action="Save"
      off={wrong && 'days are whole numbers, and every rule names a branch'}
      onClose={onClose}
      onSubmit={save}
    >
      <Field
        label="Days on all branches"
        value={days}
        onInput={setDays}
        problem={isDays(days) ? undefined : 'A whole number of days'}
        focus
      />
      {branches.map((rule, i) => (
        <div class="form-row" key={i}>
          <RefPicker
            repository={repository}
            value={rule.name}
            label=""
            kinds={['Branches']}
            onPick={name => setBranches(branches.map((other, at) => (at === i ? { ...other, name } : other)))}
          />
          <input
            class="input"
            aria-label={`Days on ${rule.name || 'the branch'}`}
            inputMode="numeric"
            value={rule.days}
            aria-invalid={!isDays(rule.days)}
            onInput={event => {
              const { value } = event.currentTarget;
              setBranches(branches.map((other, at) => (at === i ? { ...other, days: value } : other)));
            }}
          />
          <Button
            kind="plain"
            icon="close"
            label={`Remove rule ${i + 1}`}
            onClick={() => setBranches(branches.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => setBranches([...branches, { name: '', days: '28' }])}>
          Add a branch
        </Button>
      </div>
    </FormDialog>
  );
}
