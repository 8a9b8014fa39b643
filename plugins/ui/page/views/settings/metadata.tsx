/** Keys and values that say more about a repository: its owner, what it is for. */

import { Button, FormDialog, With, call, notify, shownName, useAsync, useDenial, useMetadata } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { metadataChanges } from '../../../src/model/metadata-changes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

type Metadata = Readonly<Record<string, string>>;

export function Metadata({ repository, readOnly }: Pick<RepositoryPlace, 'repository' | 'readOnly'>) {
  const metadata = useAsync(signal => call('getRepositoryMetadata', { repository }, { signal }), [repository]);
  const [editing, setEditing] = useState<Metadata>();
  const denied = useDenial('fs:UpdateRepository');
  return (
    <>
      <h3>Metadata</h3>
      <With answer={metadata}>
        {found => (
          <>
            {Object.keys(found).length === 0 && <p class="muted">Nothing yet: say who owns this repository, and what it is for.</p>}
            <dl class="facts">
              {sorted(found).map(([key, value]) => (
                <>
                  <dt>{shownName(key)}</dt>
                  <dd>{shownName(value)}</dd>
                </>
              ))}
            </dl>
            <div>
              <Button off={readOnly ? 'this repository is read-only' : denied} onClick={() => setEditing(found)}>
                Edit Metadata
              </Button>
            </div>
          </>
        )}
      </With>
      {editing && (
        <Edit
          repository={repository}
          before={editing}
          onClose={() => setEditing(undefined)}
          onDone={() => {
            setEditing(undefined);
            metadata.reload();
          }}
        />
      )}
    </>
  );
}

const sorted = (metadata: Metadata): readonly (readonly [string, string])[] =>
  Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));

interface EditProps {
  readonly repository: string;
  readonly before: Metadata;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Edit({ repository, before, onClose, onDone }: EditProps) {
  const metadata = useMetadata(() => sorted(before).map(([key, value]) => ({ key, value })));
  const save = async (): Promise<void> => {
    const { changed, gone } = metadataChanges(before, metadata.take());
    if (Object.keys(changed).length > 0) await call('setRepositoryMetadata', { repository, body: { metadata: changed } });
    if (gone.length > 0) await call('deleteRepositoryMetadata', { repository, body: { keys: [...gone] } });
    notify('Saved');
    onDone();
  };
  return (
    <FormDialog title={`Metadata of ${repository}`} action="Save" onClose={onClose} onSubmit={save}>
      {metadata.fields}
    </FormDialog>
  );
}
