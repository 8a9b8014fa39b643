/** Users on the web page: the way in, the first administrator, and the administration. */
import type { PageDescription } from '@srv/lib-page';

export default {
  pages: [
    { id: 'auth', title: 'Administration', order: 10, view: './admin.tsx' },
    { id: 'auth/login', title: 'Log in', entry: 'out', view: './login.tsx' },
    { id: 'auth/terminal', title: 'Log in a terminal', isInBar: false, view: './terminal.tsx' },
    { id: 'setup', title: 'Set up', entry: 'new', view: './setup.tsx' },
  ],
} satisfies PageDescription;
