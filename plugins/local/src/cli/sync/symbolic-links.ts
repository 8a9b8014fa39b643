/** Symbolic links as objects: empty ones, whose metadata says where the link leads. The link is never followed. */

export const linkTargetKey = '::lakefs::symlink-target';

/** Target of an object's link; `undefined` for an object that does not represent a link. */
export function linkTarget(metadata: Readonly<Record<string, string>> | undefined): string | undefined {
  const target = metadata?.[linkTargetKey];
  return target === undefined || target === '' || target.includes('\0') ? undefined : target;
}
