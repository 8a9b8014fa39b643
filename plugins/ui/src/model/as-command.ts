/** What a view shows, as commands: for `cli`, curl and Python. */
import { ownValue } from '@srv/lib-page/model';

interface ShownView {
  readonly repository: string;
  readonly tab: string;
  readonly rest: readonly string[];
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Base of the API. */
  readonly endpoint: string;
}

interface CommandText {
  readonly title: 'CLI' | 'curl' | 'Python';
  readonly text: string;
}

/** For a POSIX shell. */
const shellQuote = (text: string): string => (/^[\w@%+=:,./~^-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

interface Request {
  readonly cli: readonly string[];
  /** Below the repository. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** By tab; anything else is the repository itself. */
const requests: Readonly<Record<string, (view: ShownView, ref: string) => Request>> = {
  objects: ({ repository, query }, ref) => ({
    cli: ['fs', 'ls', `srv://${repository}/${ref}/${query['path'] ?? ''}`],
    path: `refs/${encodeURIComponent(ref)}/objects/ls`,
    query: { prefix: query['path'] ?? '', delimiter: '/' },
  }),
  object: ({ repository, query }, ref) => ({
    cli: ['fs', 'cat', `srv://${repository}/${ref}/${query['path'] ?? ''}`],
    path: `refs/${encodeURIComponent(ref)}/objects`,
    query: { path: query['path'] ?? '' },
  }),
  commits: ({ repository, rest }, ref) =>
    rest[0] === undefined
      ? { cli: ['log', `srv://${repository}/${ref}`], path: `refs/${encodeURIComponent(ref)}/commits` }
      : { cli: ['show', 'commit', `srv://${repository}/${rest[0]}`], path: `commits/${encodeURIComponent(rest[0])}` },
  branches: ({ repository }) => ({ cli: ['branch', 'list', `srv://${repository}`], path: 'branches' }),
  tags: ({ repository }) => ({ cli: ['tag', 'list', `srv://${repository}`], path: 'tags' }),
  compare: ({ repository, query }, ref) => {
    const other = query['compare'] ?? ref;
    return {
      cli: ['diff', `srv://${repository}/${ref}`, `srv://${repository}/${other}`],
      path: `refs/${encodeURIComponent(ref)}/diff/${encodeURIComponent(other)}`,
    };
  },
};

/** Credentials are named, never filled in. */
export function commandsFor(view: ShownView): readonly CommandText[] {
  const ref = view.query['ref'] ?? 'main';
  const { cli, path, query = {} } = ownValue(requests, view.tab)?.(view, ref) ?? { cli: ['repo', 'list'], path: '' };
  const url = `${view.endpoint}/repositories/${encodeURIComponent(view.repository)}${path === '' ? '' : `/${path}`}`;
  const search = new URLSearchParams(query).toString();
  const python = [
    'import os, requests',
    `answer = requests.get(${JSON.stringify(url)}, params=${JSON.stringify(query)},`,
    '                      auth=(os.environ["CLI_CREDENTIALS_ACCESS_KEY_ID"], os.environ["CLI_CREDENTIALS_SECRET_ACCESS_KEY"]))',
    'answer.raise_for_status()',
    view.tab === 'object' ? 'content = answer.content' : 'print(answer.json())',
  ].join('\n');
  return [
    { title: 'CLI', text: `cli ${cli.map(shellQuote).join(' ')}` },
    {
      title: 'curl',
      text: `curl -fsS -u "$CLI_CREDENTIALS_ACCESS_KEY_ID:$CLI_CREDENTIALS_SECRET_ACCESS_KEY" ${shellQuote(search === '' ? url : `${url}?${search}`)}`,
    },
    { title: 'Python', text: `${python}\n` },
  ];
}
