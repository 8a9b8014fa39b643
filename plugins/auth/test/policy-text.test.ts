/** What the page says of a policy while it is written. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { problemOfStatements, unknownActions } from '../page/model/policy.js';

it('names what is wrong with statements, and actions that are probably misspelt', () => {
  assert.match(problemOfStatements('{') ?? '', /^This is not JSON/);
  assert.equal(problemOfStatements('[]'), 'A policy is a list of at least one statement.');
  assert.match(problemOfStatements('[{"effect":"maybe"}]') ?? '', /^Statement 1: "effect"/);
  assert.match(problemOfStatements('[{"effect":"deny","action":["fs:*"],"resource":"*","efect":1}]') ?? '', /"efect" is not a member/);
  const good = '[{"effect":"allow","action":["fs:*","fs:ReadObjekt","auth:Delete*"],"resource":"*"}]';
  assert.equal(problemOfStatements(good), undefined);
  assert.deepEqual(unknownActions(good), ['fs:ReadObjekt']);
});
