/** Searching by metadata. */
import { runOperation } from './operation.js';
import { fields, inputSchema } from './schema.js';
import { reading } from './tool.js';
import type { Tool } from './tool.js';

/** What the operation returns. */
interface Found {
  readonly results: readonly object[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

export const search: Tool = {
  name: 'search',
  title: 'Search objects',
  description:
    'Finds objects by their metadata at a ref, in order of paths, with the commit that last changed each: much cheaper than listing everything. where compares path, size, modified, etag, content_type, commit_id, committer or metadata.KEY with a value: size > 10MB and path like "images/*.png" and metadata.label = "cat" and modified > "2026-05-01"; operators = != < <= > >= like in, joined by and, or, not, parentheses. What is not committed is not found unless uncommitted is true.',
  inputSchema: inputSchema(
    {
      repository: fields.repository,
      ref: fields.ref,
      where: { type: 'string', description: 'Condition; empty: everything', maxLength: 10_000 },
    },
    {
      prefix: fields.prefix,
      uncommitted: { type: 'boolean', description: 'Show a branch with what is not committed', default: false },
      after: fields.after,
      limit: fields.limit(1000),
    },
  ),
  annotations: reading,
  async run(context, input) {
    const { results, pagination } = (await runOperation(context, 'searchObjects', {
      repository: input.text('repository'),
      ref: input.text('ref'),
      body: {
        where: input.text('where'),
        prefix: input.text('prefix'),
        uncommitted: input.flag('uncommitted'),
        after: input.text('after'),
        amount: input.number('limit'),
      },
    })) as Found;
    return { objects: results, next: pagination.has_more ? pagination.next_offset : undefined };
  },
};
