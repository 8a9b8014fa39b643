/** What a server without repositories shows. */
import { Button, Empty, Refusal, call, messageOf, notify, objectsOf, storage, usePlace } from '@srv/lib-page/page';

const sampleName = 'quickstart';

interface WelcomeProps {
  /** Why nothing can be created. */
  readonly off: string | undefined;
  readonly onCreate: (kind: 'empty' | 'sample') => void;
}

export function Welcome({ off, onCreate }: WelcomeProps) {
  const place = usePlace();
  const sample = async (): Promise<void> => {
    if (storage()?.blockstore_type !== 'local') return onCreate('sample');
    try {
      await createSample();
      place.go(objectsOf(sampleName));
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) place.go(objectsOf(sampleName));
      else notify(messageOf(error), 'failed');
    }
  };
  return (
    <Empty icon="database" title="Welcome! There are no repositories yet">
      <p>A repository keeps objects with all their history. Begin with sample data and a short tour, or with an empty one.</p>
      <div class="group">
        <Button kind="primary" icon="play" off={off} onClick={() => void sample()}>
          Create Sample Repository
        </Button>
        <Button off={off} onClick={() => onCreate('empty')}>
          Create an empty one
        </Button>
      </div>
    </Empty>
  );
}

const createSample = () =>
  call('createRepository', {
    body: { name: sampleName, storage_namespace: `local://${sampleName}`, default_branch: 'main', sample_data: true },
  });
