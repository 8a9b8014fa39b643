import { defineCommand } from '@srv/lib-commands';
import { storedSession } from '../stored-session.js';

interface Caller {
  readonly user: string;
  readonly email?: string | undefined;
  readonly server: string;
  readonly access_key_id?: string;
  readonly session_expires?: string;
}

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show who you are at the server, and by which credentials',
  examples: ['cli whoami', 'cli whoami -o json'],
  async run(context): Promise<Caller> {
    const { values } = context.settings;
    const endpoint = values['server.endpoint_url'];
    const api = await context.client();
    const { user } = await api.getCurrentUser({});
    const key = values['credentials.access_key_id'];
    const session = key ? undefined : await storedSession(endpoint).read();
    return {
      user: user.id,
      email: user.email,
      server: new URL(endpoint).origin,
      ...(key ? { access_key_id: key } : session ? { session_expires: new Date(session.expiresAt * 1000).toISOString() } : {}),
    };
  },
  render: ({ user, server, access_key_id: key, session_expires: expires }) =>
    `${user} at ${server}${key ? ` by access key ${key}` : expires ? ` by a session until ${expires}` : ''}`,
});
