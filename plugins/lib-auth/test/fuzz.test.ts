/** 14,000 made-up tokens and policies: none throws, and none admits whom a plain reading of the rules would not. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import fc from 'fast-check';
import { checkStatements, decide, purposeTokens, signClaims, signLogin, verifyLogin } from '../src/index.js';
import type { Policy, Statement } from '../src/index.js';

const seed = process.env['SRV_TEST_SEED'] === undefined ? randomBytes(4).readInt32BE() : Number(process.env['SRV_TEST_SEED']);
const runs = (numRuns: number) => ({ seed, numRuns });
const named = `SRV_TEST_SEED=${seed}`;

const secret = 'the key of this server';
const now = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const json = fc.jsonValue({ maxDepth: 2 });

describe(`made-up tokens (${named})`, () => {
  const good = signLogin({ username: 'ann', epoch: 3, accessKeyId: 'AK' }, secret, now, later);
  const [header = '', payload = '', signature = ''] = good.split('.');

  it('that were altered are refused, unless they say the same', () => {
    const altered = fc.oneof(
      fc.tuple(fc.nat(good.length - 1), fc.string({ maxLength: 3 })).map(([at, put]) => good.slice(0, at) + put + good.slice(at + 1)),
      fc.tuple(fc.nat(good.length), fc.string({ minLength: 1, maxLength: 5 })).map(([at, put]) => good.slice(0, at) + put + good.slice(at)),
      fc.nat(good.length - 1).map(length => good.slice(0, length)),
      fc
        .tuple(json, json)
        .map(([h, p]) => [h, p].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + `.${signature}`),
      fc.string({ maxLength: 200 }),
      fc.array(fc.base64String({ maxLength: 40 }), { minLength: 1, maxLength: 5 }).map(parts => parts.join('.')),
    );
    fc.assert(
      fc.property(altered, token => {
        const login = verifyLogin(token, secret, now);
        if (login === undefined) return;
        const [h, p, s = ''] = token.split('.');
        assert.deepEqual([h, p, Buffer.from(s, 'base64url')], [header, payload, Buffer.from(signature, 'base64url')]);
      }),
      runs(6_000),
    );
  });

  it('that are signed with the right key are read as they are meant, whatever else they say', () => {
    const claims = fc.record(
      {
        sub: fc.oneof(json, fc.string()),
        aud: fc.oneof(json, fc.constant('login'), fc.constant('')),
        exp: fc.oneof(json, fc.integer({ min: 0, max: 4e9 })),
        epoch: fc.oneof(json, fc.nat(5)),
        key: fc.oneof(json, fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(claims, fc.constantFrom('HS256', 'HS384', 'HS512', 'none', 'RS256', 'hs256', ''), (given, alg) => {
        const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
        const signed = `${encode({ alg })}.${encode(given)}`;
        const hash =
          new Map([
            ['HS384', 'sha384'],
            ['HS512', 'sha512'],
          ]).get(alg) ?? 'sha256';
        const login = verifyLogin(`${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`, secret, now);
        // As the token says it: JSON has no negative zero.
        const { sub, aud, exp, epoch = 0, key } = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
        const isGood =
          ['HS256', 'HS384', 'HS512'].includes(alg) &&
          typeof sub === 'string' &&
          sub !== '' &&
          (aud === undefined || aud === '' || aud === 'login') &&
          typeof exp === 'number' &&
          exp * 1000 > now.getTime() &&
          typeof epoch === 'number' &&
          (key === undefined || typeof key === 'string');
        assert.equal(login !== undefined, isGood);
        if (login) assert.deepEqual([login.username, login.epoch, login.accessKeyId], [sub, epoch, key]);
      }),
      runs(2_000),
    );
  });

  it('for a purpose serve no other', () => {
    const { readPurposeToken } = purposeTokens(secret);
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.oneof(json, fc.string()), (made, subject, asked, jti) => {
        const token = signClaims({ jti, sub: subject, aud: made, exp: Math.floor(later.getTime() / 1000) + 1e9 }, secret);
        const read = readPurposeToken(asked, token);
        assert.equal(read !== undefined, made === asked && typeof jti === 'string' && jti !== '');
      }),
      runs(1_000),
    );
  });
});

/** Texts of few letters, so that patterns match now and then. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', ':', '/', '$', '{', '}', '[', ']', '"', '\\', '.'), maxLength: 6 });
const arn = fc.oneof(
  word.map(id => `arn:lakefs:fs:::${id}`),
  fc.constant('*'),
  word,
  fc
    .array(
      word.map(id => `arn:lakefs:fs:::${id}`),
      { maxLength: 3 },
    )
    .map(list => JSON.stringify(list)),
);
const statement: fc.Arbitrary<Statement> = fc
  .record({
    effect: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
    action: fc.array(fc.oneof(word, fc.constantFrom('fs:Read', 'fs:*', '*')), { maxLength: 3 }),
    resource: arn,
    condition: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      fc.dictionary(
        fc.oneof(fc.constantFrom('IpAddress', 'NotIpAddress', 'StringLike', 'StringNotLike'), fc.string()),
        fc.dictionary(
          fc.oneof(fc.constant('SourceIp'), fc.string()),
          fc.array(fc.oneof(fc.constantFrom('10.0.0.0/8', '192.0.2.1', '*'), fc.string()), { maxLength: 2 }),
          { maxKeys: 2 },
        ),
        { maxKeys: 2 },
      ),
    ),
  })
  .map(({ condition, ...rest }) => ({ ...rest, ...(condition === undefined ? {} : { condition }) }));

/** By trial of every way to match: slow, and plain to see. */
function plainMatch(pattern: string, text: string): boolean {
  const [p, t] = [[...pattern], [...text]];
  const from = (i: number, j: number): boolean => {
    if (i === p.length) return j === t.length;
    if (p[i] === '*') return from(i + 1, j) || (j < t.length && from(i, j + 1));
    return j < t.length && (p[i] === '?' || p[i] === t[j]) && from(i + 1, j + 1);
  };
  return from(0, 0);
}

/** Patterns of a resource, which may be a list written as JSON; `undefined`: it cannot be read. */
function plainPatterns(text: string): readonly string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return [text];
  try {
    const patterns: unknown = JSON.parse(text);
    return Array.isArray(patterns) && patterns.every(item => typeof item === 'string') ? (patterns as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether statements without conditions grant: every deny counts, and one allow is needed. */
function plainDecision(statements: readonly Statement[], action: string, resource: string, username: string): boolean {
  let granted = false;
  for (const { effect, action: actions, resource: text } of statements) {
    const patterns = plainPatterns(text);
    if (!patterns) return false;
    const covers = (pattern: string): boolean => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of policies
      const own = pattern.replaceAll('${user}', username);
      const parts = /^arn:lakefs:([^:]+):[^:]*:([^:]*):([\s\S]+)$/.exec(own);
      const wanted = /^arn:lakefs:([^:]+):[^:]*:([^:]*):([\s\S]+)$/.exec(resource);
      return (
        pattern === '*' ||
        (parts !== null &&
          wanted !== null &&
          parts[1] === wanted[1] &&
          parts[2] === wanted[2] &&
          plainMatch(parts[3] ?? '', wanted[3] ?? ''))
      );
    };
    if (!patterns.some(covers) || !actions.some(pattern => plainMatch(pattern, action))) continue;
    if (effect === 'deny') return false;
    granted = true;
  }
  return granted;
}

describe(`made-up policies (${named})`, () => {
  const policyOf = (statements: readonly Statement[]): Policy => ({ id: 'p', createdAt: now, statement: statements });

  it('decide as a plain reading of the rules', () => {
    const plain = statement.map(({ condition: _, ...rest }) => rest);
    fc.assert(
      fc.property(
        fc.array(plain, { maxLength: 4 }),
        word,
        fc.constantFrom('fs:Read', 'fs:Write', 'auth:Read'),
        (statements, id, action) => {
          const resource = `arn:lakefs:fs:::${id}`;
          const { allowed } = decide({ action, resource }, [policyOf(statements)], { username: 'ab', facts: {} });
          assert.equal(allowed, plainDecision(statements, action, resource, 'ab'), JSON.stringify(statements));
        },
      ),
      runs(3_000),
    );
  });

  it('with conditions never admit more than without, and are refused with a reason', () => {
    const facts = fc.record({
      SourceIp: fc.oneof(fc.constantFrom('10.1.2.3', '192.0.2.1', '::1', ''), fc.string(), fc.constant(undefined)),
    });
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 4 }), facts, (statements, { SourceIp }) => {
        const resource = 'arn:lakefs:fs:::a/b';
        const permission = { action: 'fs:Read', resource };
        const subject = { username: 'ab', facts: SourceIp === undefined ? {} : { SourceIp } };
        const { allowed, reason } = decide(permission, [policyOf(statements)], subject);
        if (allowed) {
          // A statement whose condition does not hold is passed over before its resource is read.
          const counts = ({ effect, condition, resource: text }: Statement): boolean =>
            effect === 'allow' && (condition === undefined || plainPatterns(text) !== undefined);
          const allowing = statements.filter(counts).map(({ condition: _, ...rest }) => rest);
          assert.equal(plainDecision(allowing, 'fs:Read', resource, 'ab'), true);
        } else assert.match(reason ?? '', /^insufficient permissions: (denied permission to|not allowed)/);
      }),
      runs(1_000),
    );
  });

  it('are stored only when they can be read', () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 3 }), statements => {
        try {
          checkStatements(statements);
        } catch (error) {
          assert.ok(isSrvError(error, 'invalid'), String(error));
          return;
        }
        assert.ok(statements.length > 0);
        const { reason } = decide({ action: 'fs:Read', resource: '*' }, [policyOf(statements)], {
          username: 'a',
          facts: { SourceIp: '10.0.0.1' },
        });
        assert.notEqual(reason, 'insufficient permissions: not allowed', 'evaluates without an error');
      }),
      runs(1_000),
    );
  });
});
