/** The bar on top. */
import { usePlace } from '../core/location.js';
import { to } from '../core/links.js';
import { ownPages } from '../core/registry.js';
import { boot } from '../core/boot.js';
import { session } from '../core/session.js';
import { setTheme, theme } from '../core/theme.js';
import { Button } from '../parts/button.js';
import { Brand, Icon } from '../parts/icon.js';
import { Menu } from '../parts/menu.js';
import { isDocked, toggleDock } from './dock.js';
import { openPalette } from './palette.js';
import { shownName } from '../../src/model/text.js';
import type { User } from '../core/session.js';

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
          .filter(({ isInBar }) => isInBar !== false)
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

/** Only an address of this server, or one that says http. */
function logOut(): void {
  const { value } = session;
  const asked = value.state === 'in' ? value.setup.login_config?.logout_url : undefined;
  history.replaceState(null, '', to('auth', 'login'));
  const own = new URL('logout?relative', document.baseURI);
  const target = asked === undefined || asked === '' || asked === '/logout' ? own : new URL(asked, document.baseURI);
  location.assign(/^https?:$/.test(target.protocol) ? target.href : own.href);
}
