/** All of a text that is too long for a cell. */
import { Alert, Dialog, With, sizeText, useAsync } from '@srv/lib-page/page';
import { visibleText } from '../../../src/model/visible-text.js';
import type { TableClient } from '../../tables/table-client.js';

/** Characters that are shown. */
const most = 1024 * 1024;

interface CellDialogProps {
  readonly client: TableClient;
  readonly row: number;
  readonly column: number;
  readonly title: string;
  readonly onClose: () => void;
}

export function CellDialog({ client, row, column, title, onClose }: CellDialogProps) {
  const text = useAsync(() => client.ask('cell', { table: 0, row, column }), [row, column]);
  return (
    <Dialog title={title} wide onClose={onClose}>
      <With answer={text}>
        {value => (
          <>
            {(value?.length ?? 0) > most && (
              <Alert kind="note">This is the first {sizeText(most)}. Download the object to see all of it.</Alert>
            )}
            <pre class="code-block scroll" tabIndex={0} role="region" aria-label="Value">
              {visibleText((value ?? '').slice(0, most))}
            </pre>
          </>
        )}
      </With>
    </Dialog>
  );
}
