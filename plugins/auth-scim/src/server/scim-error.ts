/** Errors as RFC 7644 (section 3.12) writes them. */
import { isSrvError, messageOf } from '@srv/kernel';

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

export type ScimType = 'uniqueness' | 'invalidFilter' | 'invalidValue' | 'invalidPath' | 'mutability' | 'invalidSyntax';

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, message: string, scimType?: ScimType) {
    super(message);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

const statuses: Readonly<Record<string, number>> = {
  invalid: 400,
  unauthenticated: 401,
  not_found: 404,
  not_unique: 409,
  unsupported: 501,
};

/** What any error becomes; `undefined`: a fault of the server. */
export function scimErrorOf(error: unknown): ScimError | undefined {
  if (error instanceof ScimError) return error;
  const status = isSrvError(error) ? statuses[error.code] : undefined;
  if (status === undefined) return undefined;
  return new ScimError(status, messageOf(error), status === 409 ? 'uniqueness' : status === 400 ? 'invalidValue' : undefined);
}

export function presentError({ status, message, scimType }: ScimError) {
  return { schemas: [errorSchema], status: String(status), detail: message, scimType };
}
