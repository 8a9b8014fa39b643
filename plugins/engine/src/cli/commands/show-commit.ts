import { argument, commitArgument, defineCommand, logEntry } from '@srv/lib-commands';

export const showCommit = defineCommand({
  name: 'show commit',
  summary: 'See detailed information about a commit',
  examples: ['cli show commit srv://example-repo/main'],
  arguments: [commitArgument],
  options: [{ name: 'show-meta-range-id', type: 'bool', default: false, description: "show the commit's metarange ID" }],
  async run(context, input) {
    const uri = context.uri.ref(argument(input, 0), 'commit URI');
    const api = await context.client();
    return api.getCommit({ repository: uri.repository, commitId: uri.ref });
  },
  render: (found, { terminal }, { options }) => logEntry(found, terminal, { metarange: options['show-meta-range-id'] === true }),
});
