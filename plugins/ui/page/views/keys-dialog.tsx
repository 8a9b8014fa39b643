/** The list of keys. */
import { Dialog, tabs } from '@srv/lib-page/page';

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Search or jump to anything'],
  ['`', 'The shell; Ctrl ` from anywhere'],
  ['/', 'Filter the list'],
  ['j, k', 'Next and previous row'],
  ['Enter', 'Open the row'],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="facts">
        {[
          ...keys,
          ...tabs.value.flatMap(({ key, title }) => (key ? [[`g ${key}`, title] as const] : [])),
          ['?', 'These keys'] as const,
        ].map(([name, does]) => (
          <>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
