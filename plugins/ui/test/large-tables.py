"""Writes large tables into a folder, and what PyArrow says of them into `expected.json`."""
import json, sys
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.compute as pc
folder = sys.argv[1]
rows = 10_000_000
random = pc.random(rows, initializer=7)
label = pc.cast(pc.floor(pc.multiply(random, 50.0)), pa.int32())
names = pa.array(['name %d' % i for i in range(50)])
stamp = pa.array(range(0, rows * 1000, 1000), pa.int64()).cast(pa.timestamp('us'))
price = pc.if_else(pc.less(random, 0.001), pa.scalar(None, pa.float64()), pc.multiply(random, 1000.0))
table = pa.table({'id': pa.array(range(rows), pa.int64()), 'price': price, 'label': label, 'name': names.take(label), 'stamp': stamp})
pq.write_table(table, folder + '/large.parquet', row_group_size=rows // 100)
limits = pc.min_max(price).as_py()
order = pc.sort_indices(pc.fill_null(price, -1.0), sort_keys=[('', 'descending')])[:3].to_pylist()
counts = {str(pair['values']): pair['counts'] for pair in pc.value_counts(table['name']).to_pylist()}
expected = {'rows': rows, 'nulls': price.null_count, 'least': repr(limits['min']), 'greatest': repr(limits['max']), 'top': order,
            'above': pc.sum(pc.greater(price, 999.9)).as_py(), 'counts': counts}

before = table.slice(0, 300_000)
exact = pa.array(range(300_000)).cast(pa.decimal128(38, 0))
before = before.append_column('exact', exact)
changed = before.to_pydict()
for i in range(0, 300_000, 1000): changed['name'][i] = 'other'
after = pa.table(changed, schema=before.schema).slice(500)
more = pa.table({name: pa.array([None if name != 'id' else 10 ** 9 + i for i in range(25)], before.schema.field(name).type) for name in before.column_names}, schema=before.schema)
pq.write_table(before, folder + '/before.parquet', row_group_size=70_000)
pq.write_table(pa.concat_tables([after, more]), folder + '/after.parquet', row_group_size=50_000)
kept = set(range(500, 300_000))
expected['diff'] = {'added': 25, 'removed': 500, 'changed': len([i for i in kept if i % 1000 == 0]), 'same': len([i for i in kept if i % 1000 != 0])}

pq.write_table(pa.table({'c%d' % i: pa.array([i, None, i * 2, 3]) for i in range(5000)}), folder + '/wide.parquet')
pq.write_table(pa.table({'id': [1, 2, 3], 'text': ['x' * 10_485_760, 'short', 'y' * 10_485_760]}), folder + '/long.parquet')
pq.write_table(table.select(['id', 'price']).slice(0, 4_000_000), folder + '/one-group.parquet', row_group_size=4_000_000)
with open(folder + '/wide.csv', 'w') as out:
    out.write(','.join('c%d' % c for c in range(300)) + '\n')
    for row in range(3000): out.write(','.join('%d/%d' % (row, c) for c in range(300)) + '\n')
json.dump(expected, open(folder + '/expected.json', 'w'))
