/** A picture of a folder, with ways to the one before and the next. */
import { Button, Dialog, Icon, grouped, objectOf, objectUrl, shownName } from '@srv/lib-page/page';
import { useEffect, useRef } from 'preact/hooks';
import { Media } from '../../parts/media.js';

interface PictureDialogProps {
  readonly repository: string;
  readonly ref_: string;
  readonly path: string;
  /** Of the folder, as far as they are known. */
  readonly paths: readonly string[];
  readonly isWhole: boolean;
  /** Asks for more paths. */
  readonly onMore: () => void;
  /** @param path absent: none. */
  readonly onOpen: (path: string | undefined) => void;
}

export function PictureDialog({ repository, ref_: ref, path, paths, isWhole, onMore, onOpen }: PictureDialogProps) {
  const at = paths.indexOf(path);
  const last = paths.length - 1;
  const steps = { Home: 0, ArrowLeft: at - 1, ArrowRight: at + 1, End: last } as const;
  const go = (to: number): void => {
    const next = paths[to];
    if (next !== undefined && to !== at) onOpen(next);
  };
  useEffect(() => {
    if (!isWhole && at >= last - 1) onMore();
  }, [at, last, isWhole]);
  const latest = useRef({ steps, go });
  latest.current = { steps, go };
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      latest.current.go(latest.current.steps[event.key as keyof typeof steps]);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const name = shownName(path.slice(path.lastIndexOf('/') + 1));
  return (
    <Dialog
      title={name}
      wide
      onClose={() => onOpen(undefined)}
      foot={
        <>
          <span class="muted small grow" role="status">
            {at >= 0 && `${grouped(at + 1)} of ${grouped(paths.length)}${isWhole ? '' : ' and more'}`}
          </span>
          <a class="button plain" href={objectOf(repository, ref, path)}>
            <Icon name="file" /> Open
          </a>
          <Button off={at <= 0 && 'this is the first picture'} onClick={() => go(at - 1)}>
            Previous
          </Button>
          <Button off={(at < 0 || at === last) && 'this is the last picture'} onClick={() => go(at + 1)}>
            Next
          </Button>
        </>
      }
    >
      <div class="picture large">
        <Media kind="picture" url={objectUrl(repository, ref, path)} title={name} />
      </div>
    </Dialog>
  );
}
