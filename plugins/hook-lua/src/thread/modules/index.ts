/** All modules of the host, by name. What has no slash-name for scripts to `require` is used by the prelude. */
import { awsModules } from './aws.js';
import { azureModules } from './azure.js';
import { cryptoModules } from './crypto.js';
import { databricksModules } from './databricks.js';
import { deltaModules } from './delta.js';
import { encodingModules } from './encoding.js';
import { gcloudModules } from './gcloud.js';
import { httpModules } from './net-http.js';
import { regexpModules } from './regexp.js';
import { repositoryModules } from './repository.js';
import { stringModules } from './strings.js';
import { timeModules } from './time.js';
import { urlModules } from './url.js';
import type { LuaModules } from '../arguments.js';
import type { OutsideLink } from '../outside-link.js';
import type { ServerLink } from '../server-link.js';

/** Withheld from scripts unless the configuration allows it. */
export const httpModule = 'net/http';

interface ModuleParts {
  readonly link: ServerLink;
  readonly outside: OutsideLink;
}

export function createModules({ link, outside }: ModuleParts): LuaModules {
  return {
    ...encodingModules,
    ...cryptoModules,
    ...stringModules,
    ...regexpModules,
    ...urlModules,
    ...timeModules(link),
    ...repositoryModules(link),
    ...deltaModules(link, outside),
    ...awsModules(outside),
    ...azureModules(outside),
    ...gcloudModules(outside),
    ...databricksModules(outside),
    ...httpModules(outside),
    output: {
      print: args => {
        link.print(args.bytes(1));
        return [];
      },
      loading: args => {
        link.loading(args.text(1));
        return [];
      },
    },
  };
}
