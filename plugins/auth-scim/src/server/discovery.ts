/** What providers ask before anything else (RFC 7643, sections 5 to 7). */
const list = (Resources: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: Resources.length,
  startIndex: 1,
  itemsPerPage: Resources.length,
  Resources,
});

const attribute = (name: string, more: object = {}) => ({
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
  attribute('value', { mutability: 'immutable' }),
  attribute('$ref', { type: 'reference', referenceTypes: ['User'], mutability: 'immutable' }),
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

const schemaOfSchemas = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

export const schemas = list([
  {
    schemas: [schemaOfSchemas],
    id: 'urn:ietf:params:scim:schemas:core:2.0:User',
    name: 'User',
    attributes: [
      attribute('userName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('displayName'),
      attribute('active', { type: 'boolean' }),
      attribute('emails', { type: 'complex', multiValued: true, subAttributes: email }),
      attribute('name', {
        type: 'complex',
        subAttributes: ['formatted', 'givenName', 'familyName'].map(name => attribute(name)),
      }),
    ],
  },
  {
    schemas: [schemaOfSchemas],
    id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
    name: 'Group',
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('members', { type: 'complex', multiValued: true, subAttributes: member }),
    ],
  },
]);
