/** The same as this view, for a terminal or a program. */
import { Menu, copyText, usePlace } from '@srv/lib-page/page';
import { commandsFor } from '../../src/model/as-command.js';

interface AsCommandProps {
  readonly repository: string;
  readonly tab: string;
  readonly rest: readonly string[];
}

export function AsCommand({ repository, tab, rest }: AsCommandProps) {
  const { query } = usePlace();
  return (
    <Menu
      kind="plain"
      icon="code"
      label="Copy as command"
      items={() =>
        commandsFor({ repository, tab, rest, query, endpoint: new URL('api/v1', document.baseURI).href }).map(({ title, text }) => ({
          text: `Copy as ${title}`,
          icon: 'copy',
          act: () => copyText(text, title),
        }))
      }
    />
  );
}
