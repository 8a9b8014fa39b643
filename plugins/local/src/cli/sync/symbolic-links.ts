/** Symbolic links as objects: empty ones, whose metadata says where the link leads. The link is never followed. */

export const linkTargetKey = '::lakefs::symlink-target';

/** Where an object's link leads; `undefined` for an object that stands for no link. */
export function linkTarget(metadata: Readonly<Record<string, string>> | undefined): string | undefined {
  const target = metadata?.[linkTargetKey];
  return target === undefined || target === '' || target.includes('\0') ? undefined : target;
}
