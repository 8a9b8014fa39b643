import type { RawRequest } from './http.js';
import type { User } from './identity.js';

/** One S3 operation about to run; a tap that returns `true` has answered it. */
export interface GatewayRequest extends RawRequest {
  /** S3 operation name, such as `GetObject`. */
  readonly operation: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly path?: string;
  readonly user: User;
}
