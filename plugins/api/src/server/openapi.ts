/** The description of the API, made from the table. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { basePath } from '@srv/lib-api';
import { jsonSchema } from './json-schema.js';
import type { AnyOperation, Field, Fields } from '@srv/lib-api';

type Json = Record<string, unknown>;

const error = { $ref: '#/components/responses/Error' };
const security = [{ jwt_token: [] }, { basic_auth: [] }, { cookie_auth: [] }];

/** An OpenAPI 3.1 document. Other requests have their turn between operations. */
export async function describeApi(operations: readonly AnyOperation[], version: string): Promise<Json> {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describeOperation(operation) };
    await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: { title: 'srv API', version, license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0.html' } },
    servers: [{ url: basePath }],
    security,
    components: {
      securitySchemes: {
        basic_auth: { type: 'http', scheme: 'basic' },
        jwt_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie_auth: { type: 'apiKey', in: 'cookie', name: 'access_token' },
      },
      responses: {
        Error: {
          description: 'The request was refused',
          content: {
            'application/json': { schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } } },
          },
        },
      },
    },
    paths,
  };
}

function describeOperation({
  operationId,
  tag,
  summary,
  deprecated,
  access,
  params = {},
  query = {},
  headers = {},
  body,
  status,
  result,
  failures = [],
}: AnyOperation): Json {
  const refused = [400, ...(access === 'public' ? [] : [401]), 429, ...failures].filter(code => code >= 400);
  const succeeded = failures.filter(code => code < 400);
  const answers: [string, Json][] = [
    [String(status), { description: summary, ...describeResult(result) }],
    ...succeeded.map((code): [string, Json] => [String(code), { description: 'See the operation' }]),
    ...refused.map((code): [string, Json] => [String(code), error]),
    ['default', error],
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(deprecated ? { deprecated } : {}),
    ...(access === 'public' ? { security: [] } : {}),
    parameters: [...describeParameters(params, 'path'), ...describeParameters(query, 'query'), ...describeParameters(headers, 'header')],
    ...(body === undefined ? {} : { requestBody: describeBody(body) }),
    responses: Object.fromEntries(answers),
  };
}

function describeParameters(fields: Fields, place: 'path' | 'query' | 'header'): Json[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || isRequired(field),
    schema: jsonSchema(field),
  }));
}

function describeBody(body: Field | 'stream'): Json {
  const binary = { type: 'string', format: 'binary' };
  if (body !== 'stream') return { required: isRequired(body), content: { 'application/json': { schema: jsonSchema(body) } } };
  return {
    content: {
      'application/octet-stream': { schema: binary },
      'multipart/form-data': { schema: { type: 'object', properties: { content: binary } } },
    },
  };
}

function describeResult(result: AnyOperation['result']): Json {
  switch (result.kind) {
    case 'json':
      return { content: { 'application/json': { schema: jsonSchema(result.schema) } } };
    case 'text':
      return { content: { 'text/plain': { schema: { type: 'string' } } } };
    case 'bytes':
      return { content: { [result.contentType ?? 'application/octet-stream']: { schema: { type: 'string', format: 'binary' } } } };
    case 'empty':
      return {};
  }
}

function isRequired(field: Field): boolean {
  return field._flags.presence === 'required';
}
