import { refList } from './ref-list.js';

export const tagList = refList({
  kind: 'tag',
  summary: 'List tags in a repository',
  examples: ['cli tag list srv://example-repo'],
  title: 'Tag',
  page: (api, query) => api.listTags(query),
});
