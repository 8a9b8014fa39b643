/** `open`: shows an address as the page shows it. */
import { defineCommand, formatUri } from '@srv/lib-commands';
import type { CurrentUri } from '@srv/engine/shell';
import type { Command } from '@srv/lib-commands';

export function openCommand(place: CurrentUri): Command {
  return defineCommand({
    name: 'open',
    summary: 'Show an address in the page',
    examples: ['cli open srv://example-repo/main/images/a.png'],
    arguments: [{ name: 'URI', description: 'srv://<repository>/<ref>/<path>' }],
    run(context, { args: [target = '.'] }) {
      const uri = place.resolve(target, 'place');
      // Says what is wrong with the address.
      if (uri.split('/').length > 4) return formatUri(context.uri.path(uri));
      return formatUri(uri.split('/')[3] ? context.uri.ref(uri) : context.uri.repository(uri));
    },
    render: () => '',
  });
}
