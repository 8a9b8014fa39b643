import { Readable } from 'node:stream';
import { argument, defineCommand, repositoryArgument, required } from '@srv/lib-commands';
import type {} from '../operations.js';

export const catHookOutput = defineCommand({
  name: 'cat-hook-output',
  summary: 'Cat actions hook output',
  hidden: true,
  examples: ['cli cat-hook-output srv://example-repo i9v2k0lpocvs73ftd7u0 0000_0000'],
  arguments: [repositoryArgument, required('run ID', 'ID of the run'), required('hook run ID', 'ID of the hook in the run')],
  async run(context, input): Promise<Readable> {
    const uri = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const [run_id, hook_run_id] = [argument(input, 1), argument(input, 2)];
    const { body } = await api.getRunHookOutput({ repository: uri.repository, run_id, hook_run_id });
    context.echo('Repository', uri);
    return Readable.from(withLineEnd(body), { objectMode: false });
  },
});

async function* withLineEnd(body: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield chunk as Uint8Array;
  yield new TextEncoder().encode('\n');
}
