/** The folders of a path, each a link. */
import { Copy, RefName, objectsOf, shownName } from '@srv/lib-page/page';

interface PathBarProps {
  readonly repository: string;
  readonly ref_: string;
  readonly path: string;
  /** The last part is an object, not a folder. */
  readonly object?: boolean;
}

export function PathBar({ repository, ref_: ref, path, object = false }: PathBarProps) {
  const parts = path.split('/');
  const folders = parts.slice(0, -1);
  const last = parts.at(-1) ?? '';
  return (
    <nav class="crumbs" aria-label="Path">
      <a href={objectsOf(repository, ref)}>
        <RefName id={ref} />
      </a>
      <span class="sep">/</span>
      {folders.map((folder, i) => {
        const upTo = `${parts.slice(0, i + 1).join('/')}/`;
        return (
          <>
            <a href={objectsOf(repository, ref, upTo)}>
              <bdi>{shownName(folder) || '(empty)'}</bdi>
            </a>
            <span class="sep">/</span>
          </>
        );
      })}
      {last !== '' &&
        (object ? (
          <strong>
            <bdi>{shownName(last)}</bdi>
          </strong>
        ) : (
          <span class="muted">{shownName(last)}…</span>
        ))}
      <Copy text={`srv://${repository}/${ref}/${path}`} what="URI" />
    </nav>
  );
}
