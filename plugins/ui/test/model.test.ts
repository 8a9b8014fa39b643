/** What the page computes without a browser. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { crc32 as reference } from 'node:zlib';
import { compareBytes } from '@srv/lib-records/byte-order';
import fc from 'fast-check';
import { commandsFor } from '../src/model/as-command.js';
import { dayStart } from '../src/model/calendar-day.js';
import { chosenFor } from '../src/model/custom-viewer.js';
import { drawGeometries, factsTable, netLines, readGeoJson } from '../src/model/geojson.js';
import { layOut } from '../src/model/graph.js';
import { highlight, languageExtension } from '../src/model/highlight.js';
import { HtmlTree, parseInlineHtml } from '../src/model/markdown-html.js';
import { resolveLink } from '../src/model/markdown-links.js';
import { metadataChanges } from '../src/model/metadata-changes.js';
import { metadataLink } from '../src/model/metadata-link.js';
import { kindOf } from '../src/model/object-kind.js';
import { overlay } from '../src/model/overlay.js';
import { isLarge, planParts } from '../src/model/part-plan.js';
import { rank } from '../src/model/rank.js';
import { looksLikeText } from '../src/model/sniff.js';
import { diffLines, foldSame, sideBySide } from '../src/model/text-diff.js';
import { centralDirectory, crc32, localHeader } from '../src/model/zip.js';
import { readZip } from './support/zip.js';

const seed = process.env['SRV_TEST_SEED'] === undefined ? {} : { seed: Number(process.env['SRV_TEST_SEED']) };

describe('a listing with uncommitted changes', () => {
  const object = (path: string) => ({ path, path_type: 'object' as const });
  const folder = (path: string) => ({ path, path_type: 'common_prefix' as const });

  it('marks what changed and puts back what was removed', () => {
    const rows = overlay(
      [object('a'), folder('d/'), object('z')],
      [
        { ...object('a'), type: 'changed' },
        { ...object('b'), type: 'removed' },
        { ...folder('d/'), type: 'prefix_changed' },
        { ...folder('e/'), type: 'removed' },
      ],
      false,
    );
    assert.deepEqual(
      rows.map(({ path, mark, item }) => [path, mark, item !== undefined]),
      [
        ['a', 'changed', true],
        ['b', 'removed', false],
        ['d/', 'changed', true],
        ['e/', 'removed', false],
        ['z', undefined, true],
      ],
    );
  });

  it('keeps a file and a folder of one name apart', () => {
    const rows = overlay([folder('x/'), object('x/')], [{ ...object('x/'), type: 'added' }], true);
    assert.deepEqual(
      rows.map(({ path_type, mark }) => [path_type, mark]),
      [
        ['common_prefix', undefined],
        ['object', 'added'],
      ],
    );
    const replaced = overlay(
      [folder('data/')],
      [
        { ...object('data'), type: 'removed' },
        { ...folder('data/'), type: 'added' },
      ],
      true,
    );
    assert.deepEqual(
      replaced.map(({ path, mark }) => [path, mark]),
      [
        ['data', 'removed'],
        ['data/', 'added'],
      ],
    );
  });

  it('shows removals after the last item only when nothing follows', () => {
    const changes = [{ ...object('z'), type: 'removed' as const }];
    assert.equal(overlay([object('a')], changes, false).length, 1);
    assert.equal(overlay([object('a')], changes, true).length, 2);
    assert.equal(overlay([], changes, true).length, 1);
  });

  it('orders as the server does: by bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        assert.equal(Math.sign(compareBytes(a, b)), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
      seed,
    );
  });
});

describe('a difference of texts', () => {
  it('contains both texts, and folds what is the same', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (a, b) => {
        const [left, right] = [a, b].map(lines => lines.map(text => `${text}\n`).join(''));
        const lines = diffLines(left ?? '', right ?? '');
        const side = (kind: 'added' | 'removed') => lines.filter(found => found.kind !== kind).map(({ text }) => text);
        assert.deepEqual(side('added'), a);
        assert.deepEqual(side('removed'), b);
        const folded = foldSame(lines).reduce((sum, hunk) => sum + ('skipped' in hunk ? hunk.skipped : hunk.lines.length), 0);
        assert.equal(folded, lines.length);
      }),
      seed,
    );
  });

  it('stands side by side', () => {
    const pairs = sideBySide(diffLines('a\nb\nc\n', 'a\nB\nx\nc\n')).map(({ left, right }) => [left?.text, right?.text]);
    assert.deepEqual(pairs, [
      ['a', 'a'],
      ['b', 'B'],
      [undefined, 'x'],
      ['c', 'c'],
    ]);
  });

  it('is the shortest', () => {
    const kinds = diffLines('a\nb\nc\nd\n', 'a\nc\nd\ne\n').map(({ kind, text }) => `${kind} ${text}`);
    assert.deepEqual(kinds, ['same a', 'removed b', 'same c', 'same d', 'added e']);
  });
});

describe('Markdown', () => {
  const at = { repository: 'lakes', ref: 'main', path: 'docs/guide/README.md' };
  const object = (path: string, repository = 'lakes', ref = 'main') => ({ kind: 'object', repository, ref, path });

  it('leads to objects relative to its folder', () => {
    assert.deepEqual(resolveLink('img/a%20b.png', at), object('docs/guide/img/a b.png'));
    assert.deepEqual(resolveLink('./x.md#part', at), object('docs/guide/x.md'));
    assert.deepEqual(resolveLink('../data/', at), object('docs/data/'));
    assert.deepEqual(resolveLink('/top.md', at), object('top.md'));
    assert.deepEqual(resolveLink('lakefs://other/dev/a/b.png', at), object('a/b.png', 'other', 'dev'));
    assert.deepEqual(resolveLink('srv://other/dev/a', at), object('a', 'other', 'dev'));
    assert.deepEqual(resolveLink('object?ref=dev&path=images%2Fa.png', at), object('images/a.png', 'lakes', 'dev'));
  });

  it('leads outside by http only', () => {
    assert.deepEqual(resolveLink('https://example.org/a', at), { kind: 'outside', url: 'https://example.org/a' });
    for (const href of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'java\nscript:alert(1)',
      ' javascript:x',
      'data:text/html,x',
      'vbscript:x',
      '//evil.example/x',
      'file:///etc/passwd',
      '',
    ])
      assert.equal(resolveLink(href, at).kind, 'none', href);
  });

  it('has characters by number and by common names, and leaves other names as they are', () => {
    const text = '&AMP;&#65;&#x42;&mdash; &constructor; &toString; &__proto__; &unknown;';
    assert.deepEqual(parseInlineHtml(text), ['&AB— &constructor; &toString; &__proto__; &unknown;']);
  });

  it('keeps harmless elements and drops the rest', () => {
    const tags = (nodes: ReturnType<typeof parseInlineHtml>): unknown[] =>
      nodes.map(node => (typeof node === 'string' ? node : 'other' in node ? node.other : [node.tag, ...tags(node.children)]));
    assert.deepEqual(tags(parseInlineHtml('<details><summary>a</summary>b<br>&lt;c</details>')), [
      ['details', ['summary', 'a'], 'b', ['br'], '<c'],
    ]);
    assert.deepEqual(tags(parseInlineHtml('x<script>alert(1)</script><iframe src=a></iframe><style>a{}</style>y')), ['x', 'y']);
    assert.deepEqual(tags(parseInlineHtml('<svg><script>x</script></svg><form action=b>t</form><!-- c -->')), ['t']);
  });
});

describe('HTML in pieces', () => {
  it('is put together around what stands between', () => {
    const tree = new HtmlTree<string>();
    tree.addHtml('<details><summary>More</summary>');
    tree.addOther('a paragraph');
    tree.addHtml('</details><script>');
    tree.addOther('alert(1)');
    tree.addHtml('</script><b>');
    tree.addOther('bold');
    assert.deepEqual(tree.nodes, [
      { tag: 'details', attributes: {}, children: [{ tag: 'summary', attributes: {}, children: ['More'] }, { other: 'a paragraph' }] },
      { tag: 'b', attributes: {}, children: [{ other: 'bold' }] },
    ]);
  });
});

describe('a day of the calendar', () => {
  const zone = process.env['TZ'];
  after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  /** First moments of a day and the two after it. */
  const starts = (name: string, day: string): readonly string[] => {
    process.env['TZ'] = name;
    return [0, 1, 2].map(later => new Date(dayStart(day, later) * 1000).toISOString().slice(0, 16));
  };

  it('ends where the next one begins, also when it has 23 or 25 hours', () => {
    assert.equal(dayStart('2026-02-28', 1), dayStart('2026-03-01'));
    assert.deepEqual(starts('Europe/Berlin', '2026-03-29'), ['2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00']);
    assert.deepEqual(starts('Europe/Berlin', '2026-10-25'), ['2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00']);
    // Begins at 1:00.
    assert.deepEqual(starts('America/Santiago', '2024-09-08'), ['2024-09-08T04:00', '2024-09-09T03:00', '2024-09-10T03:00']);
  });
});

describe('objects', () => {
  it('are known by type, by extension, by content', () => {
    const kind = (path: string, contentType = '') => kindOf({ path, contentType });
    assert.equal(kind('a/b.CSV'), 'delimited');
    assert.equal(kind('a.parquet', 'application/octet-stream'), 'parquet');
    assert.equal(kind('report', 'text/markdown'), 'markdown');
    assert.equal(kind('a.png', 'text/plain'), 'image');
    assert.equal(kind('a.csv', 'application/json'), 'json');
    assert.equal(kind('no-extension'), 'unknown');
    for (const name of ['constructor', '__proto__', 'hasOwnProperty']) {
      assert.equal(kind(`a.${name}`), 'unknown', name);
      assert.equal(kind(`a.${name}`, 'text/plain'), 'text', name);
    }
    assert.ok(looksLikeText(Buffer.from('größe\n\tx')));
    assert.ok(!looksLikeText(Buffer.from([0x50, 0x4b, 3, 4, 0])));
    // Marked as UTF-16.
    assert.ok(looksLikeText(Buffer.from([0xff, 0xfe, 0x41, 0])));
    assert.ok(!looksLikeText(Buffer.from([0xfe, 0x41, 0xff])));
    assert.ok(looksLikeText(Buffer.from('ä').subarray(0, 1), false));
  });

  it('are for viewers that name their extension or type', () => {
    const tables = { extensions: ['csv', '.parquet'], content_types: ['text/csv', 'image/*'] };
    for (const [path, contentType, expected] of [
      ['a.csv', '', true],
      ['a.PARQUET', 'application/octet-stream', true],
      ['a', 'text/csv; charset=utf-8', true],
      ['a', 'image/png', true],
      ['a.txt', 'text/plain', false],
      ['constructor.constructor', '', false],
    ] as const)
      assert.equal(chosenFor(tables, { path, contentType }), expected, path);
    assert.ok(chosenFor({}, { path: 'a', contentType: '' }));
  });

  it('of source text are coloured without losing any of it', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('js', 'py', 'sql', 'txt', 'yaml'), (text, language) => {
        assert.equal(
          highlight(text, language)
            .map(piece => piece.text)
            .join(''),
          text,
        );
      }),
      seed,
    );
    assert.deepEqual(
      highlight('return "x" // y', 'js').map(({ kind }) => kind),
      ['key', undefined, 'string', undefined, 'comment'],
    );
  });
});

describe('commits', () => {
  it('lie in lanes that meet again', () => {
    const { rows, width } = layOut([
      { id: 'm', parents: ['a', 'b'] },
      { id: 'a', parents: ['r'] },
      { id: 'b', parents: ['r'] },
      { id: 'r', parents: [] },
    ]);
    assert.equal(width, 2);
    assert.deepEqual(
      rows.map(({ lane, into, out }) => [lane, into, out]),
      [
        [0, [], [0, 1]],
        [0, [0], [0]],
        [1, [1], [0]],
        [0, [0], []],
      ],
    );
  });

  it('lead from their metadata to web pages only', () => {
    assert.deepEqual(metadataLink('::lakefs::Airflow::url[url:ui]', 'https://air.example/run'), {
      label: 'Airflow',
      url: 'https://air.example/run',
      host: 'air.example',
    });
    assert.equal(metadataLink('::lakefs::Airflow::uri[uri:ui]', 'javascript:alert(1)'), undefined);
    assert.equal(metadataLink('plain', 'https://x.example'), undefined);
  });
});

describe('metadata that was edited', () => {
  it('is sent as far as it has changed, and keys that are gone by their names', () => {
    const before = { a: '1', b: '2', constructor: 'x' };
    assert.deepEqual(metadataChanges(before, { a: '1', b: '3', toString: 'y' }), {
      changed: { b: '3', toString: 'y' },
      gone: ['constructor'],
    });
  });
});

describe('a language', () => {
  it('is known by the extension of its files', () => {
    assert.deepEqual(['Python', 'console', 'sql', 'constructor'].map(languageExtension), ['py', 'sh', 'sql', 'constructor']);
  });
});

describe('a view', () => {
  it('of a tab that is not known is the list of repositories as a command', () => {
    const view = { repository: 'lakes', rest: [], query: {}, endpoint: 'http://127.0.0.1/api/v1' };
    assert.deepEqual(commandsFor({ ...view, tab: 'constructor' }), commandsFor({ ...view, tab: 'unknown' }));
  });

  it('is also a command', () => {
    const texts = commandsFor({
      repository: 'lakes',
      tab: 'objects',
      rest: [],
      query: { ref: 'dev', path: "it's/" },
      endpoint: 'http://h/api/v1',
    });
    assert.equal(texts[0]?.text, "cli fs ls 'srv://lakes/dev/it'\\''s/'");
    assert.match(
      texts[1]?.text ?? '',
      /^curl -fsS -u "\$CLI_CREDENTIALS_ACCESS_KEY_ID:.*'http:\/\/h\/api\/v1\/repositories\/lakes\/refs\/dev\/objects\/ls\?prefix=it%27s%2F&delimiter=%2F'$/,
    );
    assert.match(texts[2]?.text ?? '', /requests\.get\("http:\/\/h\/api\/v1\/repositories\/lakes\/refs\/dev\/objects\/ls"/);
  });

  it('is found by a few letters', () => {
    assert.deepEqual(
      rank(['feature/main-x', 'main', 'other'], 'main', name => name),
      ['main', 'feature/main-x'],
    );
    assert.deepEqual(
      rank(['data/lakes.csv', 'notes'], 'dlc', name => name),
      ['data/lakes.csv'],
    );
  });
});

describe('an archive', () => {
  it('holds its members, whatever their names', () => {
    const contents = new Map([
      ['a.txt', 'first'],
      ['ünï/日本.txt', ''],
    ]);
    const parts: Uint8Array[] = [];
    let offset = 0;
    const members = [...contents].map(([name, text]) => {
      const content = Buffer.from(text);
      const member = { name, size: content.length, crc: crc32(content), offset };
      const header = localHeader(member);
      parts.push(header, content);
      offset += header.length + content.length;
      return member;
    });
    assert.deepEqual(readZip(Buffer.concat([...parts, ...centralDirectory(members, offset)])), contents);
  });

  it('has the checksums everybody has', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, cut) => {
        assert.equal(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut))), reference(bytes));
      }),
      seed,
    );
  });
});

describe('parts of an upload', () => {
  const mebibyte = 2 ** 20;

  it('cover the file without gaps, in as many parts as stores take', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 * 2 ** 40 }), size => {
        const parts = planParts(size);
        assert.ok(parts.length <= 10_000);
        let end = 0;
        for (const [i, part] of parts.entries()) {
          assert.equal(part.number, i + 1);
          assert.equal(part.start, end);
          assert.ok(part.end - part.start >= 5 * mebibyte || i === parts.length - 1);
          ({ end } = part);
        }
        assert.equal(end, size);
      }),
      { ...seed, numRuns: 50 },
    );
  });

  it('are for files that have more than one', () => {
    for (const size of [0, 1, 8 * mebibyte]) assert.ok(!isLarge(size) && planParts(size).length <= 1);
    assert.ok(isLarge(8 * mebibyte + 1) && planParts(8 * mebibyte + 1).length === 2);
  });
});

describe('GeoJSON', () => {
  const feature = (geometry: unknown, properties: unknown = {}) => ({ type: 'Feature', properties, geometry });
  const square = [
    [10, 50],
    [20, 50],
    [20, 60],
    [10, 60],
    [10, 50],
  ];

  it('of every shape becomes paths', () => {
    const document = readGeoJson({
      type: 'FeatureCollection',
      features: [
        feature({ type: 'Polygon', coordinates: [square] }, { name: 'square' }),
        feature({ type: 'LineString', coordinates: square.slice(0, 3) }),
        feature({ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [15, 55, 100] }] }, null),
        feature({ type: 'MultiPolygon', coordinates: [[square], [square]] }),
        feature({
          type: 'MultiPoint',
          coordinates: [
            [11, 51],
            [12, 52],
          ],
        }),
        feature({ type: 'MultiLineString', coordinates: [square, square] }),
        feature(null, { name: 'nowhere' }),
      ],
    });
    assert.ok(document);
    assert.equal(document.properties.length, 7);
    assert.deepEqual(document.properties[0], { name: 'square' });
    const drawing = drawGeometries(document.geometries) ?? assert.fail('there are positions');
    const count = (path: string, step: string): number => path.split(step).length - 1;
    assert.deepEqual([count(drawing.areas, 'M'), count(drawing.areas, 'Z')], [3, 3]);
    assert.deepEqual([count(drawing.lines, 'M'), count(drawing.lines, 'Z')], [3, 0]);
    assert.equal(count(drawing.points, 'M'), 3);
    // At 55 degrees north a degree of longitude is 0.57 as long as one of latitude.
    assert.ok(Math.abs(drawing.width / drawing.height - Math.cos((55 * Math.PI) / 180)) < 0.01);
    assert.equal(Math.round(drawing.x.degrees(drawing.x.at(12.5)) * 1e6), 12_500_000);
    assert.equal(Math.round(drawing.y.degrees(drawing.y.at(51)) * 1e6), 51_000_000);
  });

  it('have their facts in a table, whatever the names of these', () => {
    assert.deepEqual(factsTable([{ name: 'a' }, { constructor: 1 }]), {
      columns: ['name', 'constructor'],
      rows: [
        ['a', undefined],
        [undefined, 1],
      ],
    });
  });

  it('that is invalid, or hostile, draws nothing', () => {
    for (const value of [
      null,
      1,
      'x',
      [],
      {},
      { type: 'Topology' },
      { type: 'constructor', coordinates: [1, 1] },
      { type: 'FeatureCollection', features: 1 },
    ])
      assert.equal(readGeoJson(value)?.geometries.length, undefined, JSON.stringify(value));
    let deep: unknown = { type: 'Point', coordinates: [1, 1] };
    for (let i = 0; i < 5000; i++) deep = { type: 'GeometryCollection', geometries: [deep] };
    assert.equal(readGeoJson(feature(deep))?.geometries.length, 0);
    const odd = readGeoJson({ type: 'MultiPoint', coordinates: [['"/><script>', 2], [Number.NaN, 1], [1e9, 2], [1], 7, [3, 4]] });
    assert.equal(drawGeometries(odd?.geometries ?? [])?.points.split('M').length, 2);
    assert.equal(drawGeometries([]), undefined);
  });

  it('has a net of round degrees', () => {
    assert.deepEqual(netLines(9.6, 20.4), [10, 15, 20]);
    assert.deepEqual(netLines(-0.013, 0.013), [-0.01, 0, 0.01]);
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: 1e-6, max: 360, noNaN: true }), (from, width) => {
        const lines = netLines(from, from + width);
        assert.ok(lines.length <= 7 && lines.every(degrees => degrees >= from - 1e-9 && degrees <= from + width + 1e-9), String(lines));
      }),
      seed,
    );
  });
});
