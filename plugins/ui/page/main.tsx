/** The page begins here. */

import { refreshSession } from '@srv/lib-page/page';
import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { loadPageParts } from './core/page-parts.js';
import { rememberScrolling } from './core/scroll-memory.js';
import { show } from './core/theme.js';
import { Frame } from './views/frame.js';
import './core/lent-views.js';
import './core/shared-modules.js';
import './shell/index.js';
import './views/engine.js';

show();
rememberScrolling();
void refreshSession();
void loadPageParts();
const element = document.getElementById('page');
if (element)
  render(
    <LocationProvider>
      <Frame />
    </LocationProvider>,
    element,
  );
