/** `GET /`: repositories the caller may see. */

import { repositoryArn } from '@srv/lib-api';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { element, optional } from '../protocol/xml-writer.js';
import { limitOf } from './numbers.js';
import { serviceOperation } from './operation.js';
import { ownerElement } from './owner.js';
import type { Repository } from '@srv/engine/contract';

/** S3's own limit of `max-buckets`. */
const maxBuckets = 10_000;
const pageSize = 1000;

export const listBuckets = serviceOperation({
  name: 'ListBuckets',
  method: 'GET',
  async handle({ engine, identity, user, query, answer }) {
    const isVisible = await identity.visibility(user, 'fs:ListRepositories');
    const wanted = limitOf(query, 'max-buckets', { max: maxBuckets, min: 1 });
    const token = query.text('continuation-token');
    if (token !== undefined && !/^[a-z0-9-]{1,63}$/.test(token))
      throw new S3Error('InvalidArgument', { message: 'The continuation token provided is incorrect' });
    const prefix = query.get('prefix') ?? '';
    const found: Repository[] = [];
    let after = token ?? '';
    let hasMore = true;
    // Clients that name no limit expect everything.
    while (hasMore && (wanted === undefined || found.length < wanted)) {
      const amount = Math.min(pageSize, wanted === undefined ? pageSize : wanted - found.length);
      const page = await engine.listRepositories({ prefix, after, amount, visible: ({ id }) => isVisible(repositoryArn(id)) });
      found.push(...page.results);
      ({ hasMore, nextOffset: after } = page);
    }
    await answer.xml(
      element('ListAllMyBucketsResult', [
        element(
          'Buckets',
          found.map(({ id, creationDate }) => element('Bucket', [element('CreationDate', xmlDate(creationDate)), element('Name', id)])),
        ),
        ownerElement(identity),
        ...optional('ContinuationToken', hasMore ? after : undefined),
        ...optional('Prefix', prefix || undefined),
      ]),
    );
  },
});
