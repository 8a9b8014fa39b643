import { defineCommand } from '@srv/lib-commands';
import { storedSession } from '../stored-session.js';

export const logout = defineCommand({
  name: 'logout',
  localEffects: true,
  summary: 'Forget the session that cli login stored',
  description: 'Removes the session from this machine. To end all sessions of a user: cli auth users sessions revoke.',
  examples: ['cli logout'],
  async run({ settings }) {
    const endpoint = settings.values['server.endpoint_url'];
    const session = storedSession(endpoint);
    const existed = session.exists();
    await session.remove();
    return { server: new URL(endpoint).origin, logged_out: existed };
  },
  render: ({ server, logged_out: existed }) => (existed ? `Logged out at ${server}` : `There was no session at ${server}`),
});
