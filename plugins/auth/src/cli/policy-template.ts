import { UsageError, argument, defineCommand, repositoryArgument, textOf } from '@srv/lib-commands';
import { clientNeeds, roles, templateOf } from './templates.js';

export const authPoliciesTemplate = defineCommand({
  name: 'auth policies template',
  summary: 'Print a policy with the fewest rights that a client needs below a prefix',
  description: [
    'For clients that use the S3 gateway. Rights on objects hold on every branch; a listing names all objects of the repository.',
    'The document is what auth policies create takes.',
  ].join('\n'),
  examples: [
    'cli auth policies template srv://example-repo --prefix images/ --role reader',
    'cli auth policies template srv://example-repo --prefix images/ --client pyarrow | cli auth policies create --id ReadImages --statement-document -',
  ],
  arguments: [repositoryArgument],
  options: [
    { name: 'prefix', type: 'string', default: '', description: 'objects below it: empty for all, or with a slash at its end' },
    { name: 'role', type: 'string', default: 'writer', choices: roles, description: 'what the client may do' },
    { name: 'client', type: 'string', default: 'any', choices: Object.keys(clientNeeds), description: 'which client it is for' },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const prefix = textOf(input.options['prefix']) ?? '';
    if (prefix !== '' && !prefix.endsWith('/'))
      throw new UsageError(`--prefix ${prefix}: it must end with a slash, else it would cover ${prefix}x, too`);
    const special = /[*?]|\$\{/.exec(prefix)?.[0];
    if (special !== undefined) throw new UsageError(`--prefix ${prefix}: ${special} is a pattern in policies; write the policy by hand`);
    const role = roles.find(known => known === textOf(input.options['role'])) ?? 'writer';
    return { statement: templateOf(textOf(input.options['client']) ?? 'any', role, repository, prefix) };
  },
  render: document => JSON.stringify(document, undefined, 2),
});
