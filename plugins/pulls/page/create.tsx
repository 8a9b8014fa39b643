/** A new pull request, with what it would change. */

import { Alert, Button, Field, RefPicker, ask, counted, messageOf, shownName, to, useAsync, usePlace } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { BranchChanges } from './branch-changes.js';
import { useBranchesDiffer } from './branches-differ.js';
import { useOff } from './off.js';
import { openPull } from './shapes.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function CreatePull({ repository, ref: base, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const source = place.query['compare'] ?? '';
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false });
  const isPair = source !== '' && source !== base;
  const differ = useBranchesDiffer(repository, base, source, isPair);
  const same = useAsync(signal => openPull(repository, source, base, signal), [repository, base, source]);
  const denied = useOff(repository, readOnly);
  const off =
    denied ||
    (source === '' && 'choose the branch to merge') ||
    (source === base && 'choose two different branches') ||
    (differ.state === 'ready' && !differ.value && 'there is nothing to merge') ||
    (title.trim() === '' && 'give it a title') ||
    state.busy;
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (off) return;
    setState({ busy: true });
    try {
      const { id } = (await ask('createPullRequest', {
        repository,
        body: { title: title.trim(), description, source_branch: source, destination_branch: base },
      })) as { id: string };
      place.go(to('repositories', repository, 'pulls', id));
    } catch (error) {
      setState({ busy: false, problem: messageOf(error) });
    }
  };
  return (
    <>
      <h2 class="gap">Create Pull Request</h2>
      <div class="toolbar">
        <RefPicker repository={repository} value={base} label="Base branch: " kinds={['Branches']} onPick={ref => place.vary({ ref })} />
        <RefPicker
          repository={repository}
          value={source}
          label="Compared to branch: "
          kinds={['Branches']}
          onPick={compare => place.vary({ compare })}
        />
      </div>
      <form class="form narrow gap" onSubmit={create}>
        {state.problem !== undefined && <Alert>{state.problem}</Alert>}
        {same.state === 'ready' && same.value && (
          <Alert kind="note">
            These branches have an open pull request already:{' '}
            <a href={to('repositories', repository, 'pulls', same.value.id)}>{shownName(same.value.title)}</a>
          </Alert>
        )}
        <Field label="Title" placeholder="Add a title..." value={title} onInput={setTitle} />
        <Field
          label="Description"
          placeholder="Describe your changes..."
          value={description}
          onInput={setDescription}
          lines={4}
          hint="Markdown, without HTML"
        />
        <div>
          <Button kind="primary" type="submit" off={typeof off === 'string' ? off : off ? 'working' : undefined}>
            Create Pull Request
          </Button>
        </div>
      </form>
      {isPair && (
        <BranchChanges
          repository={repository}
          base={base}
          source={source}
          name={[repository, base, source]}
          title={count => counted(count, 'change')}
        />
      )}
    </>
  );
}
