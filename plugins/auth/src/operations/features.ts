/** What the mode of authentication offers; operations on anything else answer 501. */
import type { OperationContext } from '@srv/lib-api';
import type { AuthFeature } from '../contract.js';

/** Whether the mode of this server has `feature`. */
export const has =
  (feature: AuthFeature) =>
  ({ services }: OperationContext): boolean =>
    services.get('auth').supports(feature);
