import { UsageError, argument, defineCommand, repositoryArgument, textOf } from '@srv/lib-commands';
import { readJson } from './json-file.js';
import type {} from '../operations/index.js';
import type { WireObjectRules, WirePolicies } from '../operations/lifecycle.js';

interface Settings {
  readonly policies?: WirePolicies['policies'];
  readonly rules?: WireObjectRules['rules'];
}

export const lifecycleShow = defineCommand({
  name: 'lifecycle show',
  summary: 'Show when branches are deleted and objects expire',
  examples: ['cli lifecycle show srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const [{ policies }, { rules }] = await Promise.all([
      api.getBranchLifecyclePolicies({ repository }),
      api.getObjectLifecycleRules({ repository }),
    ]);
    return { policies, rules };
  },
  render: settings => JSON.stringify(settings, undefined, 2),
});

export const lifecycleSet = defineCommand({
  name: 'lifecycle set',
  summary: 'Set when branches are deleted and objects expire',
  description: `Set the policies for branches, the rules for objects, or both, from a JSON file such as lifecycle show prints:
{
  "policies": [{"id": "try-outs", "name_patterns": ["try-*"], "max_age": 604800, "max_inactivity_time": 86400}],
  "rules": [{"id": "logs", "branches": ["main"], "prefix": "logs/", "expire_after_days": 30}]
}
What the file leaves out stays as it is. Limits of policies are seconds; all that a policy has must be exceeded. Of several
policies that match a branch the first decides; of several rules for an object the shortest time counts.`,
  examples: ['cli lifecycle set srv://example-repo -f lifecycle.json'],
  arguments: [repositoryArgument],
  options: [
    { name: 'filename', short: 'f', type: 'string', required: true, description: 'file with the settings as JSON; - is standard input' },
  ],
  readsInput: true,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const file = textOf(input.options['filename']) ?? '';
    const { policies, rules } = await readJson<Settings>(file, context);
    if (policies === undefined && rules === undefined) throw new UsageError(`${file} has neither "policies" nor "rules"`);
    const api = await context.client();
    if (policies !== undefined) await api.setBranchLifecyclePolicies({ repository, body: { policies } });
    if (rules !== undefined) await api.setObjectLifecycleRules({ repository, body: { rules } });
  },
});

export const lifecycleDelete = defineCommand({
  name: 'lifecycle delete',
  summary: 'Remove the policies for branches or the rules for objects',
  examples: ['cli lifecycle delete srv://example-repo --branches', 'cli lifecycle delete srv://example-repo --branches --objects'],
  arguments: [repositoryArgument],
  options: [
    { name: 'branches', type: 'bool', default: false, description: 'remove the policies for branches' },
    { name: 'objects', type: 'bool', default: false, description: 'remove the rules for objects' },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const { branches, objects } = input.options;
    if (branches !== true && objects !== true) throw new UsageError('say what to remove: --branches, --objects, or both');
    const api = await context.client();
    if (branches === true) await api.deleteBranchLifecyclePolicies({ repository });
    if (objects === true) await api.deleteObjectLifecycleRules({ repository });
  },
});
