/** Notes every commit in a file, and refuses commits without a ticket on branches of releases. */
import { appendFile } from 'node:fs/promises';
import { SrvError, defineConfig, definePlugin, key } from '@srv/kernel';

const section = defineConfig({
  plugin: 'commit-log',
  keys: { 'commit_log.file': key.path({ default: 'commits.log', meaning: 'File that gets a line for every commit' }) },
});

export default definePlugin({
  name: 'commit-log',
  apply({ hooks }) {
    hooks.configSections.tap('commit-log', add => add(section));
    hooks.event.for('pre-commit').tapPromise('commit-log', async ({ branch = '', commit }) => {
      if (branch.startsWith('release') && !/[A-Z]+-\d+/.test(commit?.message ?? ''))
        throw new SrvError('hook_aborted', `a commit on ${branch} needs a ticket such as ABC-1 in its message`);
    });
    let file = '';
    hooks.configured.tap('commit-log', config => {
      file = config.values(section.keys)['commit_log.file'];
    });
    hooks.event
      .for('post-commit')
      .tapPromise('commit-log', async ({ repository, branch, commitId, commit }) =>
        appendFile(file, `${repository} ${branch} ${commitId} ${commit?.message}\n`),
      );
  },
});
