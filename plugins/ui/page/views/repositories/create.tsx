/** The dialog that makes a repository. */

import { Alert, Check, Field, FormDialog, call, creationOf, fitsStorePattern, objectsOf, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { useStoreChoice } from './store-choice.js';

const validId = /^[a-z0-9][a-z0-9-]{2,62}$/;

export function CreateRepository({ sample, onClose }: { readonly sample: boolean; readonly onClose: () => void }) {
  const place = usePlace();
  const { store, chosen, choice } = useStoreChoice();
  const prefix = store?.default_namespace_prefix ?? '';
  const [id, setId] = useState(sample ? 'quickstart' : '');
  const [branch, setBranch] = useState('main');
  const [typed, setTyped] = useState<string>();
  const [withSample, setWithSample] = useState(sample);
  const local = store?.blockstore_type === 'local' || store?.blockstore_type === 'mem';
  const suggested = prefix ? prefix + id : local && id ? `${store?.blockstore_type}://${id}` : '';
  const namespace = typed ?? suggested;
  const idProblem =
    id !== '' && !validId.test(id)
      ? 'Lower-case letters, digits and dashes, 3 to 63 of them, beginning with a letter or a digit.'
      : undefined;
  const fits = fitsStorePattern(store?.blockstore_namespace_ValidityRegex ?? '', namespace);
  const namespaceProblem =
    namespace !== '' && !fits
      ? `A ${store?.blockstore_type ?? ''} namespace looks like ${store?.blockstore_namespace_example ?? ''}.`
      : undefined;
  const off =
    id === '' || idProblem
      ? 'give the repository a name'
      : !branch.trim()
        ? 'name the default branch'
        : namespace === '' || namespaceProblem
          ? 'say where objects are stored'
          : undefined;
  const create = async (): Promise<void> => {
    const body = { name: id, storage_namespace: namespace, default_branch: branch.trim(), sample_data: withSample, ...chosen };
    await creationOf(`repository ${id}`, call('createRepository', { body }));
    onClose();
    place.go(objectsOf(id));
  };
  const more = (
    <>
      <Field label="Default Branch Name" value={branch} onInput={setBranch} />
      <Field
        label="Storage Namespace"
        value={namespace}
        onInput={setTyped}
        problem={namespaceProblem}
        placeholder={store?.blockstore_namespace_example}
        hint="Where the store keeps the objects. It cannot be changed later."
      />
    </>
  );
  return (
    <FormDialog title="Create Repository" action="Create Repository" off={off} onClose={onClose} onSubmit={create}>
      {store?.blockstore_type === 'mem' && <Alert kind="note">This server keeps objects in memory: they are gone when it stops.</Alert>}
      <Field
        label="Repository ID"
        value={id}
        onInput={setId}
        problem={idProblem}
        focus
        hint="Part of every address: srv://name/branch/path"
      />
      {choice}
      {prefix === '' ? (
        more
      ) : (
        <details>
          <summary>Advanced Settings</summary>
          <div class="form">{more}</div>
        </details>
      )}
      <Check label="Add sample data, hooks, and configuration" checked={withSample} onChange={setWithSample} />
    </FormDialog>
  );
}
