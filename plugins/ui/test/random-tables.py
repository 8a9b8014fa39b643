"""Writes a file of random values of every type in a format (parquet, arrow, avro), and beside it the text of each cell."""
import sys, json, random, struct, decimal, zlib
import pyarrow as pa, pyarrow.parquet as pq
out, seed, rows, form = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
R = random.Random(seed)
decimal.getcontext().prec = 90
D = decimal.Decimal
def days(n):
    """Proleptic Gregorian date of a number of days since 1970."""
    era_days = n + 719468
    era = era_days // 146097
    doe = era_days - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    day = doy - (153 * mp + 2) // 5 + 1
    month = mp + 3 if mp < 10 else mp - 9
    year = yoe + era * 400 + (1 if month <= 2 else 0)
    if 0 <= year <= 9999: return '%04d-%02d-%02d' % (year, month, day)
    return '%s%06d-%02d-%02d' % ('-' if year < 0 else '+', abs(year), month, day)
def clock(n, digits):
    s, f = divmod(n, 10 ** digits)
    return '%02d:%02d:%02d' % (s // 3600, s // 60 % 60, s % 60) + ('.%0*d' % (digits, f) if digits else '')
def stamp(n, digits, zone):
    day, rest = divmod(n, 86400 * 10 ** digits)
    return days(day) + 'T' + clock(rest, digits) + zone
def flt(v):
    if v != v: return 'NaN'
    if v in (float('inf'), float('-inf')): return 'Infinity' if v > 0 else '-Infinity'
    if v == 0: return '-0' if str(v)[0] == '-' else '0'
    digits = repr(abs(v))
    m, _, e = digits.partition('e')
    whole, _, frac = m.partition('.')
    if frac == '0': frac = ''
    num = (whole + frac).lstrip('0')
    exp = len(whole) + int(e or 0) - (len(whole + frac) - len((whole + frac).lstrip('0')) if whole == '0' else 0)
    num = num.rstrip('0')
    k = len(num); n = exp
    if k <= n <= 21: t = num + '0' * (n - k)
    elif 0 < n <= 21: t = num[:n] + '.' + num[n:]
    elif -6 < n <= 0: t = '0.' + '0' * -n + num
    else:
        t = num[0] + ('.' + num[1:] if k > 1 else '') + 'e' + ('+' if n - 1 >= 0 else '-') + str(abs(n - 1))
    return ('-' if v < 0 else '') + t
def q(s): return json.dumps(s, ensure_ascii=False)
def maybe(f): return lambda: None if R.random() < .2 else f()
def integer(bits, signed):
    lo, hi = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
    return lambda: R.choice([lo, hi, 0, 1, R.randint(lo, hi)])
def dec(p, s): return lambda: D(R.choice([0, 1, -1, 10 ** p - 1, -(10 ** p - 1), R.randint(-(10 ** p - 1), 10 ** p - 1)])).scaleb(-s)
def text(): return ''.join(R.choice(['', 'a', 'ü', '😀', '"', '\\', ',', '\n', ' ', '0', 'null']) for _ in range(R.randint(0, 6)))
def binary(): return bytes(R.randint(128, 255) for _ in range(R.randint(1, 5))) + b'\xff'
def real(): return R.choice([0.0, -0.0, float('inf'), float('-inf'), float('nan'), 1e300, 5e-324, .1, 1 / 3, 1e21, 1e-7, 123456789.125, R.uniform(-1e9, 1e9)])
kinds = {}
def kind(name, t, make, show, number): kinds[name] = (t, make, show, number)
for bits in (8, 16, 32, 64):
    kind('int%d' % bits, getattr(pa, 'int%d' % bits)(), integer(bits, True), str, True)
    kind('uint%d' % bits, getattr(pa, 'uint%d' % bits)(), integer(bits, False), str, True)
for p, s in ((5, 2), (9, 0), (18, 18), (38, 10)):
    kind('decimal%d_%d' % (p, s), pa.decimal128(p, s), dec(p, s), lambda v: format(v, 'f'), True)
kind('decimal76', pa.decimal256(76, 30), dec(76, 30), lambda v: format(v, 'f'), True)
kind('bool', pa.bool_(), lambda: R.random() < .5, lambda v: str(v).lower(), True)
kind('float64', pa.float64(), real, flt, True)
kind('float32', pa.float32(), lambda: struct.unpack('f', struct.pack('f', R.choice([.1, 1e30, -0.0, R.uniform(-1e5, 1e5)])))[0], flt, True)
kind('text', pa.string(), text, str, False)
kind('bytes', pa.binary(), binary, lambda v: '0x' + v.hex(), False)
kind('fixed', pa.binary(3), lambda: bytes([R.randint(128, 255) for _ in range(3)]), lambda v: '0x' + v.hex(), False)
kind('date', pa.date32(), lambda: R.choice([0, -1, -719528, -719529, 2932896, 2932897, -2 ** 31, 2 ** 31 - 1, R.randint(-10 ** 6, 10 ** 6)]), days, False)
for unit, digits, width in (('ms', 3, 'time32'), ('us', 6, 'time64'), ('ns', 9, 'time64')):
    kind('time_' + unit, getattr(pa, width)(unit), lambda digits=digits: R.randint(0, 86400 * 10 ** digits - 1), lambda v, digits=digits: clock(v, digits), False)
    for zone in (None, 'UTC'):
        kind('stamp_%s_%s' % (unit, zone), pa.timestamp(unit, zone), lambda digits=digits: R.choice([0, -1, 1, R.randint(-10 ** (9 + digits), 10 ** (9 + digits))]), lambda v, digits=digits, zone=zone: stamp(v, digits, 'Z' if zone else ''), False)
simple = dict(kinds)
def inner(name, v):
    if v is None: return 'null'
    _, _, show, number = kinds[name]
    return show(v) if number else q(show(v))
for name in ('int64', 'decimal38_10', 'text', 'stamp_us_None', 'float64', 'bytes'):
    t, make, show, number = simple[name]
    kind('list_' + name, pa.list_(t), lambda make=make: [None if R.random() < .3 else make() for _ in range(R.randint(0, 3))], lambda v, name=name: '[' + ','.join(inner(name, x) for x in v) + ']', True)
    kind('map_' + name, pa.map_(pa.string(), t), lambda make=make: [(text() + str(i), None if R.random() < .3 else make()) for i in range(R.randint(0, 3))], lambda v, name=name: '{' + ','.join(q(k) + ':' + inner(name, x) for k, x in v) + '}', True)
    kind('struct_' + name, pa.struct([('x', t), ('y', pa.list_(pa.int64()))]), lambda make=make: {'x': None if R.random() < .3 else make(), 'y': None if R.random() < .3 else [1, 2 ** 62]}, lambda v, name=name: '{"x":' + inner(name, v['x']) + ',"y":' + ('null' if v['y'] is None else '[' + ','.join(map(str, v['y'])) + ']') + '}', True)
kind('map_key', pa.map_(pa.int64(), pa.decimal128(5, 2)), lambda: [(i - 1, dec(5, 2)()) for i in range(R.randint(0, 3))], lambda v: '{' + ','.join(q(str(k)) + ':' + format(x, 'f') for k, x in v) + '}', True)
kind('deep', pa.list_(pa.list_(pa.struct([('a', pa.list_(pa.string()))]))), lambda: [[{'a': [text()]}, None], None, []], lambda v: '[' + ','.join('null' if l is None else '[' + ','.join('null' if s is None else '{"a":' + ('null' if s['a'] is None else '[' + ','.join(map(q, s['a'])) + ']') + '}' for s in l) + ']' for l in v) + ']', True)
def array(t, values):
    if pa.types.is_temporal(t):
        width = pa.int32() if t.bit_width == 32 else pa.int64()
        return pa.array(values, width).cast(t)
    if pa.types.is_list(t) and pa.types.is_temporal(t.value_type) or pa.types.is_map(t) and pa.types.is_temporal(t.item_type) or pa.types.is_struct(t) and pa.types.is_temporal(t.field(0).type):
        raw = {pa.types.is_list: lambda: pa.list_(pa.int64())}
        if pa.types.is_list(t): return pa.array(values, pa.list_(pa.int64())).cast(t)
        if pa.types.is_map(t): return pa.array(values, pa.map_(pa.string(), pa.int64())).cast(t)
        return pa.array(values, pa.struct([('x', pa.int64()), ('y', pa.list_(pa.int64()))])).cast(t)
    return pa.array(values, t)
columns, expected = {}, {}
def column(name, values, texts, t=None):
    columns[name] = values if isinstance(values, pa.Array) else pa.array(values, t)
    expected[name] = texts
for name, (t, make, show, _) in kinds.items():
    values = [None if R.random() < .2 else make() for _ in range(rows)]
    column(name, array(t, values), [None if v is None else show(v) for v in values])
def scaled(v, digits):
    """A whole number of units as a number with a fraction."""
    return format(D(v).scaleb(-digits), 'f') if digits else str(v)
def arrow_only():
    """Types that Parquet files do not have."""
    def some(make): return [None if R.random() < .2 else make() for _ in range(rows)]
    def texts(values, show): return [None if v is None else show(v) for v in values]
    strings = some(lambda: text() + R.choice(['', 'x' * 20]))
    for name, t in (('large', pa.large_string()), ('view', pa.string_view())): column(name, strings, strings, t)
    blobs = some(binary)
    for name, t in (('large_binary', pa.large_binary()), ('binary_view', pa.binary_view())): column(name, blobs, texts(blobs, lambda v: '0x' + v.hex()), t)
    words = some(lambda: R.choice(['red', 'green', 'blue, "deep"']))
    column('dictionary', pa.array(words).dictionary_encode(), words)
    numbers = some(lambda: R.choice([1, 2 ** 62]))
    column('number_dictionary', pa.array(numbers).dictionary_encode(), texts(numbers, str))
    ends, runs, n = [], [], 0
    while n < rows:
        n = min(rows, n + R.randint(1, 3)); ends.append(n); runs.append(R.choice([None, 1, 22]))
    flat = [v for i, v in enumerate(runs) for _ in range(ends[i] - (ends[i - 1] if i else 0))]
    if rows: column('runs', pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), pa.array(runs, pa.int64())), texts(flat, str))
    column('nothing', [None] * rows, [None] * rows, pa.null())
    half = some(lambda: R.choice([0.0, -0.0, 1.5, 65504.0, float('inf'), 2 ** -24]))
    column('half', [None if v is None else v for v in half], texts(half, flt), pa.float16())
    for unit, digits in (('s', 0), ('ms', 3), ('us', 6), ('ns', 9)):
        n = some(lambda: R.choice([0, -1, R.randint(-10 ** 12, 10 ** 12)]))
        column('duration_' + unit, pa.array(n, pa.int64()).cast(pa.duration(unit)), texts(n, lambda v: 'PT' + scaled(v, digits) + 'S'))
    n = some(lambda: R.randint(0, 86399))
    column('time_s', pa.array(n, pa.int32()).cast(pa.time32('s')), texts(n, lambda v: clock(v, 0)))
    n = some(lambda: R.randint(-10 ** 11, 10 ** 11))
    column('stamp_s', pa.array(n, pa.int64()).cast(pa.timestamp('s')), texts(n, lambda v: stamp(v, 0, '')))
    column('stamp_zone', pa.array(n, pa.int64()).cast(pa.timestamp('s', 'Europe/Berlin')), texts(n, lambda v: stamp(v, 0, 'Z')))
    n = some(lambda: R.randint(-10 ** 5, 10 ** 5))
    column('date64', pa.array([None if v is None else v * 86400000 for v in n], pa.int64()).cast(pa.date64()), texts(n, days))
    spans = some(lambda: pa.MonthDayNano([R.randint(-20, 20), R.randint(-9, 9), R.choice([0, 1, -5, 10 ** 9 + 1])]))
    def span(v):
        t = ('%sM' % v[0] if v[0] else '') + ('%sD' % v[1] if v[1] else '') + ('T%sS' % scaled(v[2], 9) if v[2] else '')
        return 'P' + (t or '0D')
    column('interval', spans, texts(spans, span), pa.month_day_nano_interval())
    for name, t in (('decimal32', pa.decimal32(7, 2)), ('decimal64', pa.decimal64(15, 3))):
        n = some(dec(t.precision, t.scale)); column(name, n, texts(n, lambda v: format(v, 'f')), t)
    lists = some(lambda: [R.choice([None, 1, 2, 3]) for _ in range(R.randint(0, 3))])
    shown = texts(lists, lambda v: '[' + ','.join('null' if x is None else str(x) for x in v) + ']')
    for name, t in (('large_list', pa.large_list(pa.int32())), ('list_view', pa.list_view(pa.int32())), ('large_list_view', pa.large_list_view(pa.int32()))): column(name, lists, shown, t)
    pairs = some(lambda: [R.randint(0, 9), None])
    column('fixed_list', pairs, texts(pairs, lambda v: '[%s,null]' % v[0]), pa.list_(pa.int16(), 2))
    which = [R.randint(0, 1) for _ in range(rows)]
    ints = [R.randint(0, 99) for _ in range(rows)]; names = [text() for _ in range(rows)]
    both = [q(names[i]) if which[i] else str(ints[i]) for i in range(rows)]
    column('sparse', pa.UnionArray.from_sparse(pa.array(which, pa.int8()), [pa.array(ints, pa.int64()), pa.array(names, pa.string())]), both)
    places, seen = [], [0, 0]
    for w in which: places.append(seen[w]); seen[w] += 1
    column('dense', pa.UnionArray.from_dense(pa.array(which, pa.int8()), pa.array(places, pa.int32()), [pa.array([v for v, w in zip(ints, which) if not w], pa.int64()), pa.array([v for v, w in zip(names, which) if w], pa.string())]), both)
    tags = some(lambda: [R.choice(['red', 'green']) for _ in range(R.randint(0, 3))])
    column('dictionary_list', tags, texts(tags, lambda v: '[' + ','.join(map(q, v)) + ']'), pa.list_(pa.dictionary(pa.int8(), pa.string())))
def write_arrow():
    arrow_only()
    table = pa.table(columns)
    options = pa.ipc.IpcWriteOptions(compression=R.choice([None, 'lz4', 'zstd']), emit_dictionary_deltas=True, unify_dictionaries=True)
    make = R.choice([pa.ipc.new_file, pa.ipc.new_stream])
    with make(out, table.schema, options=options) as writer: writer.write_table(table, max_chunksize=max(1, rows // 3))
def long(n):
    n = (n << 1) ^ (n >> 63); b = bytearray()
    n &= 2 ** 64 - 1
    while n >= 128: b.append(n & 127 | 128); n >>= 7
    b.append(n); return bytes(b)
def framed(b): return long(len(b)) + b
def avro_kinds():
    """Of each column: schema, value, bytes, text, and whether it stands without quotes among nested values."""
    whole = lambda bits: integer(bits, True)
    twos = lambda v, n: v.to_bytes(n, 'big', signed=True)
    unscaled = lambda: R.choice([0, 1, -1, 10 ** 20 - 1, -(10 ** 20 - 1), R.randint(-10 ** 19, 10 ** 19)])
    micros = lambda: R.choice([0, -1, R.randint(-10 ** 15, 10 ** 15)])
    of = lambda kind, **more: {'type': kind, **more}
    symbols = ['RED', 'GREEN']
    leaves = {
        'int': ('int', whole(32), long, str, True), 'long': ('long', whole(64), long, str, True),
        'float': ('float', lambda: struct.unpack('f', struct.pack('f', R.choice([.1, -0.0, R.uniform(-1e5, 1e5)])))[0], lambda v: struct.pack('<f', v), flt, True),
        'double': ('double', real, lambda v: struct.pack('<d', v), flt, True),
        'boolean': ('boolean', lambda: R.random() < .5, lambda v: bytes([v]), lambda v: str(v).lower(), True),
        'string': ('string', text, lambda v: framed(v.encode()), str, False),
        'bytes': ('bytes', binary, framed, lambda v: '0x' + v.hex(), False),
        'fixed': (of('fixed', name='Three', namespace='a.b', size=3), lambda: bytes(R.randint(0, 255) for _ in range(3)), bytes, lambda v: '0x' + v.hex(), False),
        'enum': (of('enum', name='Color', symbols=symbols), lambda: R.choice(symbols), lambda v: long(symbols.index(v)), str, False),
        'decimal': (of('bytes', logicalType='decimal', precision=20, scale=4), unscaled, lambda v: framed(twos(v, 9)), lambda v: format(D(v).scaleb(-4), 'f'), True),
        'fixed_decimal': (of('fixed', name='Big', size=16, logicalType='decimal', precision=38, scale=0), unscaled, lambda v: twos(v, 16), str, True),
        'date': (of('int', logicalType='date'), lambda: R.randint(-10 ** 6, 10 ** 6), long, days, False),
        'time': (of('long', logicalType='time-micros'), lambda: R.randint(0, 86400 * 10 ** 6 - 1), long, lambda v: clock(v, 6), False),
        'stamp': (of('long', logicalType='timestamp-micros'), micros, long, lambda v: stamp(v, 6, 'Z'), False),
        'local': (of('long', logicalType='local-timestamp-millis'), micros, long, lambda v: stamp(v, 3, ''), False),
        'named': ('a.b.Three', lambda: bytes(3), bytes, lambda v: '0x' + v.hex(), False),
    }
    def item(kind, v): return kind[3](v) if kind[4] else q(kind[3](v))
    def blocks(parts): return (long(len(parts)) + b''.join(parts) if R.random() < .5 else long(-len(parts)) + framed(b''.join(parts))) + long(0) if parts else long(0)
    nested = {}
    for name in ('long', 'string', 'decimal', 'stamp'):
        kind = leaves[name]
        schema, make, encode, show, _ = kind
        nested['list_' + name] = (of('array', items=schema), lambda make=make: [make() for _ in range(R.randint(0, 3))], lambda v, encode=encode: blocks([encode(x) for x in v]), lambda v, kind=kind: '[' + ','.join(item(kind, x) for x in v) + ']', True)
        nested['map_' + name] = (of('map', values=schema), lambda make=make: [(text() + str(i), make()) for i in range(R.randint(0, 3))], lambda v, encode=encode: blocks([framed(k.encode()) + encode(x) for k, x in v]), lambda v, kind=kind: '{' + ','.join(q(k) + ':' + item(kind, x) for k, x in v) + '}', True)
        nested['struct_' + name] = (of('record', name='R' + name, fields=[{'name': 'x', 'type': schema}, {'name': 'y', 'type': ['null', 'int']}]), lambda make=make: (make(), R.choice([None, 7])), lambda v, encode=encode: encode(v[0]) + (long(0) if v[1] is None else long(1) + long(v[1])), lambda v, kind=kind: '{"x":' + item(kind, v[0]) + ',"y":' + ('null' if v[1] is None else '7') + '}', True)
    any_of = [leaves['string'], leaves['long']]
    def either(): i = R.randint(0, 1); return i, any_of[i][1]()
    nested['union'] = ([any_of[0][0], any_of[1][0]], either, lambda v: long(v[0]) + any_of[v[0]][2](v[1]), lambda v: item(any_of[v[0]], v[1]), True)
    return {**leaves, **nested}
def write_avro():
    columns.clear(); expected.clear()
    fields, encoders = [], []
    for name, (schema, make, encode, show, _) in avro_kinds().items():
        optional = R.random() < .5 and not isinstance(schema, list)
        values = [None if optional and R.random() < .3 else make() for _ in range(rows)]
        expected[name] = [None if v is None else show(v) for v in values]
        fields.append({'name': name, 'type': ['null', schema] if optional else schema})
        encoders.append([(long(0) if v is None else long(1) + encode(v)) if optional else encode(v) for v in values])
    codec = R.choice(['null', 'deflate', 'zstandard', 'snappy'])
    def packed(b):
        if codec == 'deflate': z = zlib.compressobj(wbits=-15); return z.compress(b) + z.flush()
        if codec == 'zstandard': return pa.compress(b, codec='zstd', asbytes=True)
        if codec == 'snappy': return pa.compress(b, codec='snappy', asbytes=True) + struct.pack('>I', zlib.crc32(b))
        return b
    sync = bytes(R.randint(0, 255) for _ in range(16))
    schema = json.dumps({'type': 'record', 'name': 'Row', 'fields': fields})
    with open(out, 'wb') as f:
        f.write(b'Obj\x01' + long(2) + framed(b'avro.schema') + framed(schema.encode()) + framed(b'avro.codec') + framed(codec.encode()) + long(0) + sync)
        size = max(1, rows // 3)
        for start in range(0, rows, size):
            part = range(start, min(rows, start + size))
            f.write(long(len(part)) + framed(packed(b''.join(e[i] for i in part for e in encoders))) + sync)
if form == 'parquet': pq.write_table(pa.table(columns), out, compression=R.choice(['snappy', 'none', 'gzip', 'zstd']), use_dictionary=R.random() < .5, row_group_size=max(1, rows // 3), data_page_version=R.choice(['1.0', '2.0']), store_decimal_as_integer=R.random() < .5)
elif form == 'arrow': write_arrow()
else: write_avro()
json.dump(expected, open(out + '.json', 'w'), ensure_ascii=False)
