/** A ref, or what lies below a path of it. */
import { UriError } from '@srv/lib-commands';
import type { CommandContext, PathUri } from '@srv/lib-commands';

export const placeArgument = { name: 'URI', description: 'srv://<repository>/<ref>[/<path>]', required: true };

/** @throws UriError when the ref is missing. */
export function placeOf({ uri }: Pick<CommandContext, 'uri'>, text: string): PathUri {
  try {
    return uri.path(text, placeArgument.name);
  } catch (error) {
    if (!(error instanceof UriError)) throw error;
    return { ...uri.ref(text, placeArgument.name), path: '' };
  }
}
