/** Objects of a branch by their extensions: as an operation of the API, and as the S3 operation GetBucketAnalyticsConfiguration. */
import { definePlugin } from '@srv/kernel';
import * as api from '@srv/lib-api';
import type { Engine } from '@srv/engine/contract';
import type {} from '@srv/lib-api/http';

async function countsOf(engine: Engine, repository: string, branch: string): Promise<Record<string, number>> {
  const extensions = (await engine.list(repository, branch, { amount: 1000 })).results.map(({ path }) => path.split('.').at(-1) ?? '');
  return Object.fromEntries(extensions.map(name => [name, extensions.filter(other => other === name).length]));
}

export const operations = {
  countExtensions: api.operation({
    operationId: 'countExtensions',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/extensions',
    tag: 'objects',
    summary: 'Objects by extension',
    params: { repository: api.repositoryId, ref: api.ref },
    status: 200,
    result: api.json(api.record({ counts: api.mapOf(api.integer()) })),
    permission: ({ repository }) => api.may('fs:ListObjects', api.repositoryArn(repository)),
    handler: async ({ services }, at) => ({ counts: await countsOf(services.get('engine'), at.repository, at.ref) }),
  }),
};
declare module '@srv/lib-api' {
  interface Operations extends Readonly<typeof operations> {}
}
export default definePlugin({
  name: 'extensions',
  apply({ hooks, services }) {
    hooks.operations.tap('extensions', table => table.add('extensions', operations));
    hooks.gatewayOperation.for('GetBucketAnalyticsConfiguration').tapPromise('extensions', async ({ repository, answer }) => {
      const counts = Object.entries(await countsOf(services.get('engine'), repository?.id ?? '', 'main'));
      await answer.xml({ name: 'Counts', content: counts.map(([name, content]) => ({ name, content })) });
      return true;
    });
  },
});
