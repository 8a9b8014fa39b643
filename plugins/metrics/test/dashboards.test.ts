/** Dashboards ask for metrics and labels that exist. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** Labels by metric, from the table of the README, which is what users of dashboards read. */
function documentedMetrics(): ReadonlyMap<string, readonly string[]> {
  const rows = readFileSync(new URL('README.md', root), 'utf8').matchAll(/^\| (`[^|]+`) \| (\w+) \| ([^|]*)\|/gm);
  const found = new Map<string, readonly string[]>();
  for (const [, names = '', kind, labels = ''] of rows) {
    const known = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) {
      const types = name.startsWith('<type>') ? ['s3', 'gs', 'azure', 'local', 'mem'] : [''];
      for (const type of types) {
        const full = name.replace('<type>', type);
        const series = kind === 'histogram' ? [`${full}_bucket`, `${full}_sum`, `${full}_count`] : [full];
        for (const each of series) found.set(each, each.endsWith('_bucket') ? [...known, 'le'] : known);
      }
    }
  }
  return found;
}

for (const file of readdirSync(new URL('dashboards/', root))) {
  const { panels, uid, title } = JSON.parse(readFileSync(new URL(`dashboards/${file}`, root), 'utf8')) as {
    readonly panels: readonly Panel[];
    readonly uid: string;
    readonly title: string;
  };

  test(`${file}: every panel queries metrics that the server has`, () => {
    const metrics = documentedMetrics();
    assert.ok(metrics.has('api_requests_total') && metrics.has('s3_operation_duration_seconds_bucket'), 'the table was read');
    for (const { title: panel, targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, name = '', selector = ''] of expr.matchAll(/\b([a-z]\w*)\{([^}]*)\}/g)) {
          // Of the library that the page is made with: process_…, nodejs_….
          if (/^(?:process|nodejs)_/.test(name)) continue;
          const labels = metrics.get(name);
          assert.ok(labels, `${panel}: there is no metric ${name}`);
          const asked = [...selector.matchAll(/(\w+)=/g), ...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
          for (const label of asked) assert.ok(label === 'instance' || labels.includes(label), `${panel}: ${name} has no label ${label}`);
        }
      }
    }
  });

  test(`${file}: can be imported as it is`, () => {
    assert.ok(uid !== '' && title !== '');
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: h }, (_, i) => Array.from({ length: w }, (_unused, j) => `${x + j},${y + i}`)).flat(),
    );
    assert.equal(new Set(cells).size, cells.length, 'no panel lies over another');
  });
}
