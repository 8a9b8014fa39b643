/** The bar on top. */
import { Brand, Button, Icon, Menu, boot, logOut, ownPages, shownName, to, usePlace } from '@srv/lib-page/page';
import { setTheme, theme } from '../core/theme.js';
import { isDocked, toggleDock } from './dock.js';
import { openPalette } from './palette.js';
import type { User } from '@srv/lib-page/page';

export function Bar({ user }: { readonly user: User }) {
  const { segments } = usePlace();
  const name = user.friendly_name || user.id;
  return (
    <header class="bar">
      <a class="brand" href={to('repositories')} aria-label="srv: all repositories">
        <Brand />
        <span>srv</span>
      </a>
      <nav aria-label="Main">
        <a href={to('repositories')} {...(segments[0] === 'repositories' ? { 'aria-current': 'page' as const } : {})}>
          Repositories
        </a>
        {ownPages.value
          .filter(({ isInBar, entry }) => isInBar !== false && !entry)
          .map(({ id, title }) => (
            <a key={id} href={to(id)} {...(segments[0] === id ? { 'aria-current': 'page' as const } : {})}>
              {title}
            </a>
          ))}
      </nav>
      <div class="grow" />
      <button type="button" class="jump" onClick={() => openPalette()} aria-label="Search or jump to… Ctrl K">
        <Icon name="search" />
        <span class="grow">Search or jump to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      {segments[0] !== 'shell' && (
        <Button kind="plain" icon="terminal" label="Shell (`)" aria-expanded={isDocked.value} onClick={toggleDock} />
      )}
      <Menu
        kind="plain"
        icon="light"
        label="Colours"
        items={() =>
          (['system', 'light', 'dark'] as const).map(value => ({
            text: { system: 'As the system', light: 'Light', dark: 'Dark' }[value],
            icon: theme.value === value ? 'check' : value === 'dark' ? 'dark' : 'light',
            act: () => setTheme(value),
          }))
        }
      />
      <Menu
        kind="plain"
        icon="user"
        label={`User ${shownName(name)}`}
        items={() => [
          { text: shownName(name), icon: 'user', off: 'this is you' },
          { text: `srv ${boot.version}`, icon: 'info', off: 'version of this server' },
          'line',
          { text: 'Log out', icon: 'right', act: logOut },
        ]}
      />
    </header>
  );
}
