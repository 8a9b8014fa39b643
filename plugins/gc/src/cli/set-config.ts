import { argument, defineCommand, repositoryArgument, textOf } from '@srv/lib-commands';
import { readJson } from './json-file.js';
import type {} from '../operations/index.js';
import type { WireRules } from '../operations/rules.js';

export const gcSetConfig = defineCommand({
  name: 'gc set-config',
  summary: 'Set the garbage collection rules of a repository',
  description: `Set the garbage collection rules of a repository from a JSON file:
{
  "default_retention_days": 14,
  "branches": [{"branch_id": "main", "retention_days": 21}],
  "branch_patterns": [{"pattern": "release-*", "retention_days": 90}],
  "tags": {"keep": "all"},
  "keep_last_commits": 10
}
The last three are optional. Tags keep their commits unless "keep" is "none" or "days".`,
  examples: ['cli gc set-config srv://example-repo -f rules.json'],
  arguments: [repositoryArgument],
  options: [
    { name: 'filename', short: 'f', type: 'string', required: true, description: 'file with the rules as JSON; - is standard input' },
  ],
  readsInput: true,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const file = textOf(input.options.filename) ?? '';
    const body = await readJson<WireRules>(file, context);
    if (body.default_retention_days === 0)
      context.warn(
        'default_retention_days is 0: the next run collects the objects of abandoned commits, and of branches deleted longer than branches.undelete_days ago',
      );
    await (await context.client()).setGCRules({ repository, body });
  },
});
