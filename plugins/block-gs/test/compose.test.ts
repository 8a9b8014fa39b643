import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeLayers, maxSources } from '../src/server/compose.js';

test('each source is used once, each target made once, and no step has too many', () => {
  for (const count of [1, 2, 10, 31, 32, 33, 40, 64, 65, 1000, 1024, 1025, 9_999, 10_000]) {
    const sources = Array.from({ length: count }, (_, i) => `part_${String(i + 1).padStart(5, '0')}`);
    const layers = composeLayers(sources, 'target', 'a');
    const steps = layers.flat();
    const content = new Map(sources.map(name => [name, [name]]));
    const made = new Set<string>();
    for (const layer of layers) {
      // Steps of a layer may run at the same time: none needs what another makes.
      const before = new Set(content.keys());
      for (const step of layer) {
        assert.ok(step.sources.length >= 1 && step.sources.length <= maxSources);
        assert.ok(step.sources.every(name => before.has(name)));
        assert.ok(!made.has(step.target));
        made.add(step.target);
        content.set(
          step.target,
          step.sources.flatMap(name => content.get(name) ?? []),
        );
      }
    }
    const used = steps.flatMap(step => step.sources);
    assert.equal(new Set(used).size, used.length, 'no source is used twice');
    assert.deepEqual(content.get('target'), sources);
    assert.equal(steps.at(-1)?.target, 'target');
    assert.ok(steps.slice(0, -1).every(step => step.sources.length > 1 && /^part_\d{5}(_a_\d+)+$/.test(step.target)));
  }
});

test('intermediate objects are named after their first source, the attempt and the layer', () => {
  const sources = Array.from({ length: 40 }, (_, i) => `p${i}`);
  assert.deepEqual(composeLayers(sources, 't', 'a'), [
    [{ sources: sources.slice(0, 32), target: 'p0_a_0' }],
    [{ sources: ['p0_a_0', ...sources.slice(32)], target: 't' }],
  ]);
});
