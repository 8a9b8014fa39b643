/** A user, a group or a policy in its list. */
import { Icon, Time, shownName } from '@srv/lib-page/page';
import type { IconName } from '@srv/lib-page/page';
import type { ComponentChildren } from 'preact';
import type { Ticked } from './ticked.js';

interface NamedRowProps {
  readonly id: string;
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
  readonly note: ComponentChildren;
  /** Seconds. */
  readonly created: number | undefined;
  /** Absent: the row cannot be ticked. */
  readonly ticked: Ticked | undefined;
  /** Why it cannot be ticked. */
  readonly stays: string | undefined;
}

export function NamedRow({ id, name, icon, href, note, created = 0, ticked, stays }: NamedRowProps) {
  return (
    <div class="row named-row" role="row">
      <span role="cell">
        {ticked && (
          <input
            type="checkbox"
            aria-label={`Select ${shownName(name)}`}
            disabled={stays !== undefined}
            title={stays}
            checked={ticked.ids.has(id)}
            onChange={event => ticked.tick(id, event.currentTarget.checked)}
          />
        )}
      </span>
      <span role="cell" class="cell-name">
        <Icon name={icon} />
        <a href={href}>
          <bdi>{shownName(name)}</bdi>
        </a>
      </span>
      <span role="cell" class="muted small one-line wide-only">
        {note}
      </span>
      <span role="cell" class="muted end wide-only">
        {created > 0 && <Time seconds={created} />}
      </span>
    </div>
  );
}
