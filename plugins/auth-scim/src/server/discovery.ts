/** What providers ask before anything else (RFC 7643, sections 5 to 7). */
const list = (Resources: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: Resources.length,
  startIndex: 1,
  itemsPerPage: Resources.length,
  Resources,
});

interface Attribute {
  readonly name: string;
  readonly caseExact: boolean;
  readonly subAttributes?: readonly Attribute[];
  readonly [characteristic: string]: unknown;
}

const attribute = (name: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});
const email = [
  attribute('value'),
  attribute('type', { canonicalValues: ['work', 'home', 'other'] }),
  attribute('primary', { type: 'boolean' }),
];
const member = [
  attribute('value', { caseExact: true, mutability: 'immutable' }),
  attribute('$ref', { type: 'reference', caseExact: true, referenceTypes: ['User'], mutability: 'immutable' }),
  attribute('type', { mutability: 'immutable', canonicalValues: ['User'] }),
];

export const serviceProviderConfig = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [{ type: 'oauthbearertoken', name: 'Bearer token', description: 'auth.scim.token of the server' }],
};

export const resourceTypes = list(
  ['User', 'Group'].map(name => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: `urn:ietf:params:scim:schemas:core:2.0:${name}`,
  })),
);

const userAttributes = [
  attribute('userName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
  attribute('externalId', { caseExact: true }),
  attribute('displayName'),
  attribute('active', { type: 'boolean' }),
  attribute('emails', { type: 'complex', multiValued: true, subAttributes: email }),
  attribute('name', { type: 'complex', subAttributes: ['formatted', 'givenName', 'familyName'].map(name => attribute(name)) }),
];
const groupAttributes = [
  attribute('displayName', { required: true, uniqueness: 'server' }),
  attribute('externalId', { caseExact: true }),
  attribute('members', { type: 'complex', multiValued: true, subAttributes: member }),
];

/** Paths in lower case of the attributes whose case counts in comparisons; `id` is in no schema (RFC 7643, section 3.1). */
export const caseExactPaths: ReadonlySet<string> = new Set(['id', ...[...userAttributes, ...groupAttributes].flatMap(exactPaths)]);

function exactPaths({ name, caseExact, subAttributes = [] }: Attribute): readonly string[] {
  const path = name.toLowerCase();
  return [...(caseExact ? [path] : []), ...subAttributes.flatMap(exactPaths).map(below => `${path}.${below}`)];
}

const schemaOfSchemas = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

export const schemas = list(
  Object.entries({ User: userAttributes, Group: groupAttributes }).map(([name, attributes]) => ({
    schemas: [schemaOfSchemas],
    id: `urn:ietf:params:scim:schemas:core:2.0:${name}`,
    name,
    attributes,
  })),
);
