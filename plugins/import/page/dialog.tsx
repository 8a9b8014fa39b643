/** Imports objects that lie in the store already, without copying them. */

import { Field, FormDialog, ask, fitsStorePattern, shownName, storage, useCommitMetadata } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { Progress } from './progress.js';
import type { ActionDialogProps } from '@srv/lib-page/page';

export default function ImportDialog({ repository, branch, folder, onClose }: ActionDialogProps) {
  const [sources, setSources] = useState('');
  const [destination, setDestination] = useState(folder);
  const [message, setMessage] = useState('');
  const metadata = useCommitMetadata();
  const [id, setId] = useState<string>();
  const pattern = storage(repository)?.import_validity_regex ?? '';
  const paths = sources.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]));
  const wrong = paths.find(path => !fitsStorePattern(pattern, path));
  const start = async (): Promise<void> => {
    const entered = metadata.take();
    const body = {
      paths: paths.map(path => ({ type: 'common_prefix', path, destination })),
      commit: { message: message || `Import to ${branch}`, metadata: entered },
    };
    setId(((await ask('importStart', { repository, branch, body })) as { id: string }).id);
  };
  if (id !== undefined)
    return <Progress repository={repository} branch={branch} id={id} onClose={onClose} onAgain={() => setId(undefined)} />;
  return (
    <FormDialog
      title={`Import to ${shownName(branch)}`}
      action="Import"
      off={paths.length === 0 ? 'say where the objects are' : wrong !== undefined && `${wrong} is not an address of this store`}
      onClose={() => onClose(false)}
      onSubmit={start}
    >
      <Field
        label="Sources"
        value={sources}
        onInput={setSources}
        lines={2}
        placeholder={storage(repository)?.blockstore_namespace_example}
        problem={wrong === undefined ? undefined : `${wrong} is not an address of this store`}
        hint="Addresses in the store, one a line; everything below each is imported, and nothing is copied"
        focus
      />
      <Field label="Destination" value={destination} onInput={setDestination} placeholder="the root" />
      <Field label="Commit Message" value={message} onInput={setMessage} placeholder={`Import to ${branch}`} />
      {metadata.fields}
    </FormDialog>
  );
}
