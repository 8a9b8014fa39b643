/** Keys of the command-line tool that the diagnosis looks at. */
import { defineConfig, key } from '@srv/kernel';
import type { Values } from '@srv/kernel';

export const doctorConfig = defineConfig({
  plugin: 'doctor',
  keys: {
    'credentials.access_key_id': key.text({ default: '', meaning: 'Access key ID' }),
    'credentials.secret_access_key': key.text({ default: '', secret: true, meaning: 'Secret access key' }),
    'server.endpoint_url': key.text({ default: 'http://127.0.0.1:8000', meaning: 'Base URL of the server' }),
  },
});

export type DoctorSettings = Values<typeof doctorConfig.keys>;
