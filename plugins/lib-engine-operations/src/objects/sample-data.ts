/** A few objects to look at in a repository made for trying things out. */
import type { ServiceRegistry } from '@srv/kernel';
import type {} from '@srv/catalog/contract';
import type { Repository } from '@srv/versioning/contract';

const samples: Readonly<Record<string, { readonly contentType: string; readonly text: string }>> = {
  'README.md': {
    contentType: 'text/markdown',
    text: '# Sample repository\n\nChange a file on a branch, look at the difference, commit it, and merge it back.\n',
  },
  'data/lakes.csv': {
    contentType: 'text/csv',
    text: 'name,country,depth_m\nBaikal,Russia,1642\nTanganyika,Tanzania,1470\nCrater Lake,United States,594\nComo,Italy,425\nLoch Ness,United Kingdom,230\n',
  },
};

/** Commits the samples to the default branch and protects it, where branches can be protected. */
export async function createSampleData(
  services: Pick<ServiceRegistry, 'get' | 'find'>,
  { id, defaultBranch }: Repository,
  committer: string,
): Promise<void> {
  const catalog = services.get('catalog');
  for (const [path, { contentType, text }] of Object.entries(samples)) {
    await catalog.putObject(id, defaultBranch, path, Buffer.from(text, 'utf8'), { contentType });
  }
  await catalog.commit(id, defaultBranch, { committer, message: 'Add sample data' });
  await services.find('branchProtection')?.set(id, { [defaultBranch]: ['staging_write', 'commit'] });
}
