/** What the test servers offer: the operations of the API, and of authentication. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describedOperations } from '../../src/surface/index.js';

/** The folder of all plugins. */
export const pluginsFolder = fileURLToPath(new URL('../../../../', import.meta.url));

/** Features that are there; they need the whole engine. */
export const featureFolders = ['branch-protection', 'pulls'].map(name => pluginsFolder + name).filter(folder => existsSync(folder));

export const operationList = await describedOperations(pluginsFolder, ['api', 'auth']);
