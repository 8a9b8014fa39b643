/** 3,000 made-up claims: either refused, or exactly what the rules demand. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { claimedGroups, identify } from '@srv/lib-auth/claims';
import fc from 'fast-check';

const seed = process.env['SRV_TEST_SEED'] === undefined ? randomBytes(4).readInt32BE() : Number(process.env['SRV_TEST_SEED']);
const name = fc.oneof(fc.constantFrom('sub', 'dept', 'groups', '__proto__', 'constructor', 'toString'), fc.string({ maxLength: 4 }));
const value = fc.oneof(fc.constantFrom('a', 'b', ''), fc.jsonValue({ maxDepth: 2 }));
const claims = fc.dictionary(name, value, { maxKeys: 5 });
const rules = fc.record({
  idClaim: name,
  validate: fc.dictionary(name, fc.constantFrom('a', 'b', ''), { maxKeys: 2 }),
  defaultGroups: fc.constant([]),
  groupClaims: fc.array(name, { maxLength: 2 }),
  nameClaims: fc.array(name, { maxLength: 2 }),
});

it(`made-up claims are read as the rules say (SRV_TEST_SEED=${seed})`, () => {
  fc.assert(
    fc.property(claims, rules, (given, rule) => {
      const own = (claim: string): unknown => Object.getOwnPropertyDescriptor(given, claim)?.value;
      const id = own(rule.idClaim);
      const good = typeof id === 'string' && id !== '' && Object.entries(rule.validate).every(([claim, wanted]) => own(claim) === wanted);
      try {
        assert.equal(identify(given, rule).externalId, id);
        assert.ok(good);
      } catch (error) {
        assert.ok(isSrvError(error, 'unauthenticated') && !good, String(error));
      }
      try {
        for (const group of claimedGroups(given, rule.groupClaims) ?? []) assert.equal(typeof group, 'string');
      } catch (error) {
        assert.ok(isSrvError(error, 'unauthenticated'), String(error));
      }
    }),
    { seed, numRuns: 3_000 },
  );
});
