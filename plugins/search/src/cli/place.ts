/** A ref, or what lies below a path of it. */
import type { CommandContext, PathUri } from '@srv/lib-commands';

export const placeArgument = { name: 'URI', description: 'srv://<repository>/<ref>[/<path>]', required: true };

/** @throws UsageError when the ref is missing. */
export function placeOf({ uri }: Pick<CommandContext, 'uri'>, text: string): PathUri {
  try {
    return { ...uri.ref(text, placeArgument.name), path: '' };
  } catch {
    // It has a path, or is wrong: then this says what is.
    return uri.path(text, placeArgument.name);
  }
}
