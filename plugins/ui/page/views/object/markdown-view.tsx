import { With, useAsync } from '@srv/lib-page/page';
import { decoded, readHead } from '../../core/content.js';
import { Markdown } from './markdown.js';
import type { ShownObject } from '@srv/lib-page/page';

const most = 1024 * 1024;

/** An object that is Markdown. */
export function MarkdownView({ object }: { readonly object: ShownObject }) {
  const text = useAsync(async signal => decoded(await readHead(object, most, signal)), [object.url]);
  return (
    <div class="card-body">
      <With answer={text}>{value => <Markdown text={value} repository={object.repository} ref_={object.ref} path={object.path} />}</With>
    </div>
  );
}
