import { refList } from './ref-list.js';
import type { Command, ResultPage } from '@srv/lib-commands';
import type { NamedCommit } from './ref-list.js';

export const branchList: Command<ResultPage<NamedCommit>> = refList({
  kind: 'branch',
  summary: 'List branches in a repository',
  examples: ['cli branch list srv://example-repo', 'cli branch list srv://example-repo --prefix ex -o name'],
  title: 'Branch',
  page: (api, query) => api.listBranches(query),
});
