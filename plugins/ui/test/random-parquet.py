"""Writes a Parquet file of random values of every type, and beside it what PyArrow says of each cell, as text."""
import sys, json, random, struct, decimal, datetime as d, uuid
import pyarrow as pa, pyarrow.parquet as pq
out, seed, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
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
    return '%02d:%02d:%02d.%0*d' % (s // 3600, s // 60 % 60, s % 60, digits, f)
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
for name, (t, make, show, _) in kinds.items():
    values = [None if R.random() < .2 else make() for _ in range(rows)]
    columns[name] = array(t, values)
    expected[name] = [None if v is None else show(v) for v in values]
pq.write_table(pa.table(columns), out, compression=R.choice(['snappy', 'none', 'gzip', 'zstd']), use_dictionary=R.random() < .5, row_group_size=max(1, rows // 3), data_page_version=R.choice(['1.0', '2.0']), store_decimal_as_integer=R.random() < .5)
json.dump(expected, open(out + '.json', 'w'), ensure_ascii=False)
