/** The API operations of the plugin. */
import { lifecycleOperations } from './lifecycle.js';
import { prepareOperations } from './prepare.js';
import { rulesOperations } from './rules.js';
import { runOperations } from './runs.js';

const gcOperations = { ...rulesOperations, ...prepareOperations, ...runOperations, ...lifecycleOperations };

/** Operations by id. */
export type GcOperations = typeof gcOperations;

export default gcOperations;

declare module '@srv/lib-api' {
  interface Operations extends GcOperations {}
}
