import { existsSync, readFileSync } from 'node:fs';
import { defineCommand } from '@srv/lib-commands';
import { ask } from '../prompts.js';
import type { CommandContext } from '@srv/lib-commands';

export const config = defineCommand({
  name: 'config',
  localEffects: true,
  summary: 'Create/update local configuration',
  examples: ['cli config'],
  description:
    'Asks for the access key, the secret key and the URL of the server, and writes them to the configuration file. Other keys of the file stay.',
  async run(context) {
    const { settings, terminal, tell } = context;
    tell(`Config file ${settings.file} will be used`);
    const current = settings.values;
    const [accessKeyId = '', secretAccessKey = '', endpoint = ''] = await ask(
      [
        { message: 'Access key ID', ...preset(current['credentials.access_key_id']) },
        { message: 'Secret access key', secret: true, ...preset(current['credentials.secret_access_key']) },
        { message: 'Server endpoint URL', default: current['server.endpoint_url'], validate: checkUrl },
      ],
      terminal.canAsk,
    );
    await write(context, {
      'credentials.access_key_id': accessKeyId,
      'credentials.secret_access_key': secretAccessKey,
      'server.endpoint_url': endpoint,
    });
    return { file: settings.file };
  },
  render: () => '',
});

function preset(value: string | undefined): { readonly default?: string } {
  return value ? { default: value } : {};
}

function checkUrl(text: string): string | true {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? true : `${JSON.stringify(text)} is not a URL such as http://127.0.0.1:8000`;
}

/** Only the given keys change; comments and other keys stay. Only the owner may read the file. */
async function write({ settings: { file } }: CommandContext, values: Readonly<Record<string, string>>): Promise<void> {
  const [{ parseDocument }, { setYamlValue }, { replacePrivateFile }] = await Promise.all([
    import('yaml'),
    import('@srv/config/yaml-value'),
    import('@srv/config/private-file'),
  ]);
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '');
  for (const [key, value] of Object.entries(values)) setYamlValue(document, key, value);
  replacePrivateFile(file, String(document));
}
