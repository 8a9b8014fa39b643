/** The README of a folder, below its listing. */
import { Icon, With, send, useAsync } from '@srv/lib-page/page';
import { Markdown } from '../object/markdown.js';

const most = 512 * 1024;

export function Readme({ repository, ref_: ref, path }: { readonly repository: string; readonly ref_: string; readonly path: string }) {
  const text = useAsync(
    async signal => await (await send('getObject', { repository, ref, path, Range: `bytes=0-${most - 1}` }, { signal })).text(),
    [repository, ref, path],
  );
  return (
    <section class="card" aria-label="README">
      <div class="card-head">
        <Icon name="file" /> <strong>README.md</strong>
      </div>
      <div class="card-body">
        <With answer={text}>{value => <Markdown text={value} repository={repository} ref_={ref} path={path} />}</With>
      </div>
    </section>
  );
}
