/** The page in front of an API that makes up its lists: as long as a test wants, without storing anything. */
import { ScriptedHttp, passOn, startSrv } from '@srv/test-servers';

export interface CannedServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Lengths {
  readonly objects: number;
  readonly branches: number;
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** A real server delivers the page; a front answers the API. */
export async function startPageOnly({ objects, branches }: Lengths): Promise<CannedServer> {
  const srv = await startSrv({ plugins: ['ui'] });
  const commit = { id: 'c'.repeat(64), parents: [], committer: 'ann', message: 'first', creation_date: 1, meta_range_id: '', metadata: {} };
  const answers: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/user': () => ({ user: { id: 'ann', creation_date: 1 } }),
    '/setup_lakefs': () => ({ state: 'initialized', login_config: { RBAC: 'none' } }),
    '/user/permission': () => ({}),
    '/config': () => ({ storage_config: { blockstore_type: 'local' } }),
    '/repositories/lakes': () => ({ id: 'lakes', creation_date: 1, default_branch: 'main', storage_namespace: 'local://lakes' }),
    '/repositories/lakes/branches': query =>
      page(branches, query, i => ({ id: `branch-${padded(i, 5)}`, commit_id: commit.id }), 'branch-', 5),
    '/repositories/lakes/branches/main': () => ({ id: 'main', commit_id: commit.id }),
    '/repositories/lakes/tags': () => ({ results: [], pagination: { has_more: false, next_offset: '' } }),
    '/repositories/lakes/branches/main/objects/stage_allowed': () => ({}),
    '/repositories/lakes/branches/main/diff': () => ({ results: [], pagination: { has_more: false, next_offset: '' } }),
    [`/repositories/lakes/commits/${commit.id}`]: () => commit,
    '/repositories/lakes/commits/main': () => commit,
    '/repositories/lakes/refs/main/last_commits': () => ({ results: [], looked_at: 1000, whole: false }),
    '/repositories/lakes/refs/main/objects/ls': query =>
      page(
        objects,
        query,
        i => ({ path: `object-${padded(i, 6)}.txt`, path_type: 'object', size_bytes: i, mtime: 1, checksum: '', physical_address: '' }),
        'object-',
        6,
      ),
  };
  const front = await ScriptedHttp.open((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://front');
    if (pathname.startsWith('/api/v1')) {
      const answer = answers[pathname.slice('/api/v1'.length)];
      outgoing.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(answer ? answer(searchParams) : { message: `not made up: ${pathname}` }));
      return;
    }
    passOn(srv.url, incoming, outgoing);
  });
  return {
    url: front.url,
    async close() {
      await front.close();
      await srv.stop();
    },
  };
}

/** Items by number, after the one that the query names. */
function page(length: number, query: URLSearchParams, item: (i: number) => unknown, before: string, digits: number) {
  if (query.get('prefix') === 'main')
    return { results: [{ id: 'main', commit_id: 'c'.repeat(64) }], pagination: { has_more: false, next_offset: '' } };
  const last = query.get('after') ?? '';
  const from = last === '' ? 0 : Number(last.slice(before.length, before.length + digits)) + 1;
  const to = Math.min(length, from + Number(query.get('amount') ?? 100));
  return {
    results: Array.from({ length: to - from }, (_, i) => item(from + i)),
    pagination: { has_more: to < length, next_offset: `${before}${padded(to - 1, digits)}` },
  };
}
