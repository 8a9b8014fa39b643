import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'pulls',
  keys: {
    'pulls.notices.email': key.bool({
      default: false,
      meaning: 'Send mail about pull requests to their authors, reviewers and participants; needs mail, and counts against its limits',
    }),
  },
});
