/** Where the configuration file of the server is looked for. */
import { join } from 'node:path';

export interface FilePlace {
  readonly path: string;
  /** What messages call it. */
  readonly label: string;
}

/** Files of the user and of the machine, the first that exists wins. The one in the working folder is before them. */
export function installedConfigFiles(home: string): readonly FilePlace[] {
  return [
    { path: join(home, 'srv', 'config.yaml'), label: '~/srv/config.yaml' },
    { path: '/etc/srv/config.yaml', label: '/etc/srv/config.yaml' },
    { path: join(home, '.srv.yaml'), label: '~/.srv.yaml' },
  ];
}
