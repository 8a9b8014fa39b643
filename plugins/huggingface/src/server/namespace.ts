/** First parts of paths: namespaces of repositories, and what has another meaning. */

export const repoTypes = ['models', 'datasets', 'spaces'] as const;
/** Of paths that bytes of LFS are sent to. */
export const uploadPrefix = 'lfs-upload';
/** Of paths that chunks are sent to. */
export const xetPrefix = 'xet';

const reserved: ReadonlySet<string> = new Set(['api', xetPrefix, uploadPrefix, ...repoTypes]);

/** Whether a namespace of this name leads to its repositories. @param namespace in small letters. */
export function isNamespace(namespace: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,40}$/.test(namespace) && isClientName(namespace) && !reserved.has(namespace);
}

/** Clients refuse two dashes in a row, and dashes at either end. @param text of small letters, digits and dashes. */
export function isClientName(text: string): boolean {
  return text !== '' && !text.includes('--') && !text.startsWith('-') && !text.endsWith('-');
}
