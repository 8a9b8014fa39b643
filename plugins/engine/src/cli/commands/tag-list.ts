import { refList } from './ref-list.js';
import type { Command, ResultPage } from '@srv/lib-commands';
import type { NamedCommit } from './ref-list.js';

export const tagList: Command<ResultPage<NamedCommit>> = refList({
  kind: 'tag',
  summary: 'List tags in a repository',
  examples: ['cli tag list srv://example-repo'],
  title: 'Tag',
  page: (api, query) => api.listTags(query),
});
