/** `srv://<repository>/<ref>/<namespace>.<table>`: names of tables where paths stand otherwise. */
import { required } from '@srv/lib-commands';
import type { PathUri } from '@srv/lib-commands';

export const tableArgument = required('table URI', 'srv://<repository>/<ref>/<namespace>.<table>');

/** Slashes separate the parts of a name as well as dots do. */
export function nameIn({ path }: Pick<PathUri, 'path'>): string {
  return path.replaceAll('/', '.').replace(/\.$/, '');
}
