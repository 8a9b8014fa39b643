/** Actions that parts add to a place. */
import { usePlace } from '../core/location.js';
import { actions } from '../core/registry.js';
import { Button, Wide } from './button.js';
import { Icon } from './icon.js';
import type { ActionPlace } from '../../src/description.js';
import type { Action } from '../core/registry.js';
import type { MenuItem } from './menu.js';

type Facts = Readonly<Record<string, string>>;

const at = (place: ActionPlace): readonly Action[] => actions.value.filter(action => action.place === place);

interface ActionButtonsProps {
  readonly place: ActionPlace;
  /** What the place is about. */
  readonly about: Facts;
  /** Why nothing can be done here. */
  readonly off?: string | undefined;
  readonly onDialog?: (action: Action) => void;
}

/** As buttons of a toolbar. */
export function ActionButtons({ place, about, off, onDialog }: ActionButtonsProps) {
  const { go } = usePlace();
  return (
    <>
      {at(place).map(action => (
        <Button
          key={action.id}
          icon={action.icon}
          compact
          off={off ?? action.off?.(about)}
          onClick={() => (action.href ? go(action.href(about)) : onDialog?.(action))}
        >
          {action.title}
        </Button>
      ))}
    </>
  );
}

/** As links that look like buttons. */
export function ActionLinks({ place, about }: Pick<ActionButtonsProps, 'place' | 'about'>) {
  return (
    <>
      {at(place).map(
        ({ id, title, icon, href }) =>
          href && (
            <a key={id} class="button" href={href(about)} title={title}>
              <Icon name={icon} /> <Wide>{title}</Wide>
            </a>
          ),
      )}
    </>
  );
}

/** As rows of a menu. */
export function actionItems(place: ActionPlace, about: Facts): readonly MenuItem[] {
  return at(place).flatMap(({ title, icon, href }) => (href ? [{ text: title, icon, href: href(about) }] : []));
}
