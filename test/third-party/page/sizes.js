/** A tab of every repository: how many bytes the objects of a ref have, by extension, as a chart. */
export default page => {
  const { h, format } = page;

  async function sizesOf(repository, ref, signal) {
    const sizes = new Map();
    for (let after = ''; ; ) {
      const { results, pagination } = await page.call('listObjects', { repository, ref, after, amount: 1000 }, { signal });
      for (const { path, size_bytes: size = 0 } of results) {
        const extension = /\.([^./]+)$/.exec(path)?.[1] ?? 'none';
        sizes.set(extension, (sizes.get(extension) ?? 0) + size);
      }
      if (!pagination.has_more) return [...sizes].sort(([, a], [, b]) => b - a);
      after = pagination.next_offset;
    }
  }

  function Chart({ sizes }) {
    const most = Math.max(1, ...sizes.map(([, size]) => size));
    const bars = sizes.map(([extension, size], i) => [
      h('text', { x: 0, y: i * 26 + 17, fill: 'currentColor' }, extension),
      h('rect', { x: 80, y: i * 26 + 4, width: (size / most) * 420, height: 16, rx: 3, fill: 'var(--accent)' }),
      h('text', { x: 510, y: i * 26 + 17, fill: 'currentColor' }, format.size(size)),
    ]);
    const label = `Sizes by extension: ${sizes.map(([extension, size]) => `${extension} ${format.size(size)}`).join(', ')}`;
    return h('svg', { role: 'img', 'aria-label': label, viewBox: `0 0 600 ${sizes.length * 26}`, width: '100%' }, bars);
  }

  function Sizes({ repository, ref }) {
    const answer = page.useAsync(signal => sizesOf(repository, ref, signal), [repository, ref]);
    return h(page.parts.With, { answer }, sizes => h(Chart, { sizes }));
  }

  page.tab({ id: 'sizes', title: 'Sizes', icon: 'chart', order: 65, render: place => h(Sizes, place) });
};
