/** Sizes of a branch by the extensions of its objects: as an operation of the API, and as the S3 operation GetBucketAnalyticsConfiguration. */
import { definePlugin } from '@srv/kernel';
import { integer, json, mapOf, may, operation, record, ref, repositoryArn, repositoryId } from '@srv/lib-operations';
import type { Kernel } from '@srv/kernel';
import type {} from '@srv/catalog/contract';

async function sizesOf({ services }: Pick<Kernel, 'services'>, repository: string, branch: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  const { results } = await services.get('catalog').list(repository, branch, { amount: 1000 });
  for (const item of results)
    if (item.kind === 'object')
      sizes[item.path.split('.').at(-1) ?? ''] = (sizes[item.path.split('.').at(-1) ?? ''] ?? 0) + item.entry.size;
  return sizes;
}

export const operations = {
  getSizes: operation({
    operationId: 'getSizes',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/sizes',
    tag: 'objects',
    summary: 'Sizes by extension',
    params: { repository: repositoryId, ref },
    status: 200,
    result: json(record({ sizes: mapOf(integer()) })),
    permission: ({ repository }) => may('fs:ListObjects', repositoryArn(repository)),
    handler: async ({ services }, input) => ({ sizes: await sizesOf({ services } as Kernel, input.repository, input.ref) }),
  }),
};
type SizesOperations = typeof operations;
declare module '@srv/lib-operations' {
  interface Operations extends SizesOperations {}
}

export default definePlugin({
  name: 'sizes',
  apply(kernel) {
    kernel.hooks.operations.tap('sizes', table => table.add('sizes', operations));
    kernel.hooks.gatewayOperation.for('GetBucketAnalyticsConfiguration').tapPromise('sizes', async ({ repository, answer }) => {
      const sizes = Object.entries(await sizesOf(kernel, repository?.id ?? '', 'main'));
      await answer.xml({ name: 'Sizes', content: sizes.map(([name, size]) => ({ name, content: size })) });
      return true;
    });
  },
});
