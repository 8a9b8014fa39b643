/** What the test servers offer: the operations of the API, of authentication and of the features that are there. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describedOperations } from '../../src/surface/index.js';

/** The folder of all plugins. */
export const pluginsFolder = fileURLToPath(new URL('../../../../', import.meta.url));

const features = ['branch-protection'];
export const featureFolders = features.map(name => pluginsFolder + name).filter(folder => existsSync(folder));

export const operationList = await describedOperations(pluginsFolder, ['api', 'auth', ...features]);
