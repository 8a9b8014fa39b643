import { argument, defineCommand, required, textOf } from '@srv/lib-commands';
import type { Client } from '@srv/lib-api/client';

type Explanation = Awaited<ReturnType<Client['explainPermission']>>;
type Statement = Explanation['nearly'][number]['statement'];

interface Answer extends Explanation {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

export const authCan = defineCommand({
  name: 'auth can',
  summary: 'Explain whether a user may do something',
  description: `Shows the statement that decides, and for a permission that is missing the statements that nearly grant it. The resource is a name
as in policies; without arn:… it is one of the service fs. The exit code is 1 if the user may not.`,
  examples: [
    'cli auth can ann fs:WriteObject repository/example-repo/object/team/a.csv',
    'cli auth can ann fs:CreateCommit repository/example-repo/branch/main --source-ip 192.0.2.7',
  ],
  arguments: [
    required('user', 'name of the user'),
    required('action', 'such as fs:ReadObject'),
    required('resource', 'such as repository/example-repo'),
  ],
  options: [{ name: 'source-ip', type: 'string', description: 'address of the user, for conditions' }],
  async run(context, input): Promise<Answer> {
    const [user, action, given] = [argument(input, 0), argument(input, 1), argument(input, 2)];
    const resource = given === '*' || given.startsWith('arn:') ? given : `arn:lakefs:fs:::${given}`;
    const sourceIp = textOf(input.options['source-ip']);
    const api = await context.client();
    const found = await api.explainPermission({
      userId: user,
      action,
      resource,
      source_ip: sourceIp,
    });
    return { user, action, resource, ...found };
  },
  failed: ({ allowed }) => !allowed,
  render({ user, action, resource, allowed, decides, nearly }) {
    const verdict = `${user} ${allowed ? 'may' : 'may not'} ${action} on ${resource}`;
    if (decides) return `${verdict}: policy ${decides.policy} says so\n  ${lineOf(decides.statement)}`;
    const near = nearly.map(({ policy, statement, because }) =>
      because === 'resource'
        ? `  policy ${policy} allows it on other resources: ${lineOf(statement)}`
        : `  policy ${policy} allows it under a condition that does not hold: ${lineOf(statement)}`,
    );
    return [`${verdict}: no statement allows it`, ...near].join('\n');
  },
});

const lineOf = ({ effect, action, resource, condition }: Statement): string =>
  `${effect} ${action.join(', ')} on ${resource}${condition === undefined ? '' : ` if ${JSON.stringify(condition)}`}`;
