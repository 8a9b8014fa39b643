/** What a repository is, and its end. */

import {
  Button,
  Confirm,
  Copy,
  Field,
  With,
  call,
  notify,
  repositoryResource,
  to,
  useAsync,
  useDenial,
  usePlace,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { Metadata } from './metadata.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function General({ repository, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const facts = useAsync(signal => call('getRepository', { repository }, { signal }), [repository]);
  const denied = useDenial('fs:DeleteRepository', repositoryResource(repository));
  const [deleting, setDeleting] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = async (): Promise<void> => {
    if (typed !== repository) throw new Error(`Type ${repository} to confirm.`);
    await call('deleteRepository', { repository });
    notify(`Deleted ${repository}`);
    place.go(to('repositories'));
  };
  return (
    <div class="form">
      <h2>General</h2>
      <With answer={facts}>
        {({ id, storage_namespace: namespace, default_branch: branch, storage_id: storage }) => (
          <dl class="facts">
            {(
              [
                ['Repository name', id],
                ...(storage ? [['Storage', storage] as const] : []),
                ['Storage namespace', namespace],
                ['Default branch', branch],
              ] as const
            ).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd class="group">
                  {value} <Copy text={value} what={name.toLowerCase()} />
                </dd>
              </>
            ))}
          </dl>
        )}
      </With>
      <Metadata repository={repository} readOnly={readOnly} />
      <h3>Delete this repository</h3>
      <p class="muted">Branches, tags and commits go; objects in the store stay until they are removed there.</p>
      <div>
        <Button kind="danger" icon="trash" off={readOnly ? 'this repository is read-only' : denied} onClick={() => setDeleting(true)}>
          Delete Repository
        </Button>
      </div>
      {deleting && (
        <Confirm
          title={`Delete ${repository}`}
          action="I understand, delete this repository"
          onClose={() => setDeleting(false)}
          onConfirm={remove}
        >
          <p>This cannot be undone.</p>
          <Field label={`Type ${repository} to confirm`} value={typed} onInput={setTyped} focus />
        </Confirm>
      )}
    </div>
  );
}
